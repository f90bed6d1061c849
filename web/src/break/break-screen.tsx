import { useState } from 'preact/hooks';
import type { Fault as MadeFault } from '../../../src/sandbox/faults/faults.ts';
import { CallCard } from '../calls/call-card.tsx';
import { post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useLive } from '../live/use-live.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { toDurationText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';
import type { TextKey } from '../texts/en.ts';
import { StoryCard } from './story-card.tsx';

interface Fault {
  readonly kind: MadeFault['kind'];
  readonly title: TextKey;
  readonly hint: TextKey;
  readonly done: TextKey;
}

const FAULTS: readonly Fault[] = [
  { kind: 'kill-worker', title: 'killWorker', hint: 'killWorkerHint', done: 'killed' },
  { kind: 'pause-worker', title: 'pauseWorker', hint: 'pauseWorkerHint', done: 'paused' },
  { kind: 'drop-connection', title: 'dropConnection', hint: 'dropConnectionHint', done: 'dropped' },
  { kind: 'delay-notifications', title: 'delayNews', hint: 'delayNewsHint', done: 'lasts' },
  { kind: 'duplicate-notifications', title: 'doubleNews', hint: 'doubleNewsHint', done: 'lasts' },
  { kind: 'rotate-log', title: 'rotateLog', hint: 'rotateLogHint', done: 'rotated' },
  { kind: 'fill-disk', title: 'fillDisk', hint: 'fillDiskHint', done: 'lasts' },
  { kind: 'end-ttl', title: 'endTtl', hint: 'endTtlHint', done: 'ttlEnded' },
];

/** Faults to inject by hand, and the story that injects one by itself. */
export function BreakScreen() {
  const live = useLive();
  const pending = [...live.calls.values()].filter(({ state }) => state === 'pending');
  const told = live.story.callId;
  const others = pending.filter(({ callId }) => callId !== told);
  return (
    <div class="page page-narrow">
      {live.features?.isDemo && <StoryCard />}
      <h2>{t('breakIt')}</h2>
      <p class="muted">{t('breakIntro')}</p>
      <div class="fault-grid">
        {FAULTS.map((fault) => (
          <FaultCard key={fault.kind} fault={fault} />
        ))}
      </div>
      <h2>{t('underWayNow')}</h2>
      {pending.length === 0 && <p class="hint">{t('nothingUnderWay')}</p>}
      <div class="cards">
        {others.map((call) => (
          <CallCard key={call.callId} call={call} />
        ))}
      </div>
    </div>
  );
}

function FaultCard({ fault: { kind, title, hint, done } }: { fault: Fault }) {
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const act = async () => {
    setProblem('');
    const { pid = '', count = '', forMs = 0, path = '' } = await post<MadeFault>('faults', { kind });
    setSaid(t(done, { pid, count, path, time: toDurationText(forMs) }));
    // Much may have changed without an event.
    if (kind === 'end-ttl') await live.reload();
  };
  return (
    <article class="card fault-card">
      <h3>{t(title)}</h3>
      <p class="muted">{t(hint)}</p>
      <ActButton label={t(title)} kind="danger" act={act} onFailed={setProblem} />
      <p class="said" role="status">
        {said}
      </p>
      {problem && <Problem>{problem}</Problem>}
    </article>
  );
}
