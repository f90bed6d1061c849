import type { ComponentChildren } from 'preact';
import type { Task } from '../../../src/task/record.ts';
import { toDurationText, toTimeText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';
import { Countdown } from './countdown.tsx';
import type { Timeline } from './spans.ts';

/** The key figures of a task. */
export function TaskFacts({ task, timeline, now }: { task: Task; timeline: Timeline; now: number }) {
  const { attempt, maxAttempts, idempotent, expiresAt, ttlMs, worker, principal } = task;
  return (
    <dl class="facts">
      <Fact name={t('queueTime')}>{toDurationText(timeline.queueMs)}</Fact>
      <Fact name={t('workTime')}>{toDurationText(timeline.workMs)}</Fact>
      {timeline.waitMs > 0 && <Fact name={t('waitTime')}>{toDurationText(timeline.waitMs)}</Fact>}
      <Fact name={t('attempts')}>
        {attempt} / {idempotent ? maxAttempts : 1}
      </Fact>
      <Fact name={t('created')}>{toTimeText(task.createdAt, now)}</Fact>
      <Fact name={t('ttl')}>{expiresAt === undefined ? toTtlText(ttlMs) : <Countdown until={expiresAt} />}</Fact>
      <Fact name={t('principal')}>{principal}</Fact>
      {worker && (
        <Fact name={t('worker')}>
          <code>{worker}</code>
        </Fact>
      )}
    </dl>
  );
}

function toTtlText(ttlMs: number | null): string {
  return ttlMs === null ? t('forever') : t('ttlAfter', { time: toDurationText(ttlMs) });
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
