import { useState } from 'preact/hooks';
import type { CopyTexts } from '../../../src/sandbox/copy/copy-texts.ts';
import { get, toMessage } from '../live/api.ts';
import { CopyButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import type { TextKey } from '../texts/en.ts';

const KINDS: readonly (readonly [keyof CopyTexts, TextKey])[] = [
  ['cli', 'copyCli'],
  ['typescript', 'copyTypescript'],
  ['config', 'copyConfig'],
  ['test', 'copyTest'],
];

/** A call as snippets for other places, loaded when the panel is opened. */
export function CopyAs({ callId }: { callId: string }) {
  const [texts, setTexts] = useState<CopyTexts>();
  const [problem, setProblem] = useState('');
  const load = () => {
    if (texts) return;
    get<CopyTexts>(`calls/${callId}/copy`).then(setTexts, (error: unknown) => setProblem(toMessage(error)));
  };
  return (
    <details class="copy-as" onToggle={({ currentTarget }) => currentTarget.open && load()}>
      <summary>{t('copyAs')}</summary>
      {problem && <Problem>{problem}</Problem>}
      {KINDS.map(([kind, label]) => {
        const text = texts?.[kind];
        return text === undefined ? null : <CopyText key={kind} kind={kind} label={t(label)} text={text} />;
      })}
    </details>
  );
}

function CopyText({ kind, label, text }: { kind: string; label: string; text: string }) {
  return (
    <figure class="wire-read" data-copy={kind}>
      <figcaption>
        {label} <CopyButton text={text} />
      </figcaption>
      <pre class="code-block" tabIndex={0}>
        {text}
      </pre>
    </figure>
  );
}
