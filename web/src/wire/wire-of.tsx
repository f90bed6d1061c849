import { useEffect, useState } from 'preact/hooks';
import type { CallWire } from '../../../src/sandbox/wire/wire-recorder.ts';
import { get, toMessage } from '../live/api.ts';
import { Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import { WireRow } from './wire-row.tsx';

/** The messages of a call or a task; read when the panel is opened, and again whenever `news` changes. */
export function WireOf({ path, news }: { path: string; news: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const [wire, setWire] = useState<CallWire>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (isOpen) get<CallWire>(path).then(setWire, (error: unknown) => setProblem(toMessage(error)));
  }, [isOpen, path, news]);
  return (
    <details class="copy-as" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('wire')}</summary>
      {problem && <Problem>{problem}</Problem>}
      {wire?.messages.length === 0 && <p class="hint">{t('wireNone')}</p>}
      <div class="wires">
        {wire?.messages.map((message, at) => (
          <WireRow key={at} message={message} />
        ))}
      </div>
      {wire !== undefined && wire.left > 0 && <p class="hint">{t('runLeft', { n: wire.left })}</p>}
    </details>
  );
}
