import { describe, expect, it } from 'vitest';
import type { DeliveredOutcome } from '../../../src/apps/chaos/journal.ts';
import type { Target } from '../../../src/campaign/chaos/fault.ts';
import { judge } from '../../../src/campaign/chaos/judge.ts';
import { acknowledged, asked, begun, fault, finished, stored, toEvidence } from './judge-case.ts';

const INTERRUPTED: DeliveredOutcome = { kind: 'interrupted', text: 'its worker stopped responding' };
const ended = (more = {}) => [stored({ told: INTERRUPTED, status: 'failed', ...more })];
const verdictsOf = (...given: Parameters<typeof toEvidence>) =>
  judge(toEvidence(...given)).map(({ verdict }) => verdict);

describe('work that was interrupted', () => {
  const once = [asked(), acknowledged(), begun({ pid: 7 })];

  it.each(['kill', 'term', 'stop'])('[BAD-556] has a cause when its own process got a %s', (kind) => {
    expect(verdictsOf([...once, fault(kind, [7])], ended())).toEqual([]);
  });

  it('[BAD-556] has none when only others were killed, or nobody', () => {
    expect(verdictsOf([...once, fault('kill', [8])], ended())).toEqual(['interrupted']);
    expect(verdictsOf(once, ended())).toEqual(['interrupted']);
  });

  it('[BAD-556] has a cause when the worker was killed that had started its process, and none in a killed server', () => {
    const isolated = [asked(), acknowledged(), begun({ pid: 7, parent: 6 })];
    const killed = (target: Target) => [...isolated, { ...fault('kill', [6]), target } as (typeof isolated)[number]];
    expect(verdictsOf(killed('worker'), ended())).toEqual([]);
    expect(verdictsOf(killed('server'), ended())).toEqual(['interrupted']);
  });

  it.each(['lock', 'fail', 'full', 'slow', 'clock', 'drop'])('[BAD-556] has none in a fault of kind %s', (kind) => {
    expect(verdictsOf([...once, fault(kind, [], 90_000)], ended())).toEqual(['interrupted']);
  });

  it('[BAD-556] has a cause in a stop that was over before only when it had not begun yet', () => {
    const early = [asked(), fault('stop', [7], 300), begun({ pid: 7, at: 60_000 })];
    expect(verdictsOf(early, ended())).toEqual(['interrupted']);
  });

  it('[BAD-556] may have been in any process that was harmed when no body of it began', () => {
    expect(verdictsOf([asked(), acknowledged(), fault('kill', [8])], ended())).toEqual([]);
    expect(verdictsOf([asked(), acknowledged()], ended())).toEqual(['interrupted']);
  });

  const poison = (pid: number, callId = 'p') =>
    [
      { kind: 'asked', callId, tool: 'segfault', repeatable: true, poison: 'segfault', by: 'client' },
      { kind: 'begun', callId, taskId: 'task-p', attempt: 1, pid },
      { kind: 'delivered', callId, told: { kind: 'error', text: 'it crashed' }, by: 'client' },
    ] as const;

  it('[BAD-556] has a cause in a poison task of its own process, when it may not be repeated', () => {
    expect(verdictsOf([...once, ...poison(7)], ended())).toEqual([]);
    expect(verdictsOf([...once, ...poison(8)], ended())).toEqual(['interrupted']);
  });

  it('[BAD-556] that may be repeated needs a cause for each of its attempts, and poison is none', () => {
    const attempts = [7, 8, 9].flatMap((pid, at) => [begun({ pid, attempt: at + 1 }), fault('kill', [pid])]);
    const start = [asked({ repeatable: true }), acknowledged()];
    const tasks = ended({ idempotent: true, maxAttempts: 3, attempts: 3 });
    expect(verdictsOf([...start, ...attempts], tasks)).toEqual([]);
    const poisoned = [7, 8, 9].flatMap((pid, at) => [begun({ pid, attempt: at + 1 }), ...poison(pid, `p${pid}`)]);
    expect(verdictsOf([...start, ...poisoned], tasks)).toEqual(['interrupted']);
  });

  it('[BAD-556] counts as such too when it was run again although its process was left in peace', () => {
    const rerun = (harm: readonly number[]) => [
      asked({ repeatable: true }),
      acknowledged(),
      begun({ pid: 7 }),
      fault('kill', harm),
      begun({ pid: 8, attempt: 2 }),
      finished({ pid: 8, attempt: 2 }),
    ];
    const tasks = [stored({ idempotent: true, maxAttempts: 3, attempts: 2 })];
    expect(verdictsOf(rerun([9]), tasks)).toEqual(['interrupted']);
    expect(verdictsOf(rerun([7]), tasks)).toEqual([]);
    expect(verdictsOf(rerun([9]), [stored({ idempotent: true, attempts: 2, retries: 1 })])).toEqual([]);
  });

  it('[BAD-556] does not count for the poison task itself', () => {
    const tasks = [stored({ callId: 'p', taskId: 'task-p', told: INTERRUPTED, idempotent: true, maxAttempts: 3 })];
    const told = { kind: 'delivered', callId: 'p', told: INTERRUPTED, by: 'client' } as const;
    const [ask, begin] = poison(7);
    expect(verdictsOf([ask, begin, told], tasks)).toEqual([]);
  });
});
