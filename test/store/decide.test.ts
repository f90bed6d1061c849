import { describe, expect, it } from 'vitest';
import { parseCursor, toCursor } from '../../src/store/cursor.ts';
import { canSettle, decideAnswer, decideClaim, decideRecovery, toProgress } from '../../src/store/decide.ts';
import { toExpired } from '../../src/store/tombstone.ts';

const question = { key: 'q1', request: { kind: 'roots' }, askedAt: 0 } as const;

describe('the shared decisions of the stores', () => {
  it('leave a task as it is when no answer fits', () => {
    const ended = { questions: [], status: 'completed', runAt: 5 } as const;
    const decision = decideAnswer(ended, { answers: { q1: { action: 'accept' } } }, 9);
    expect(decision).toEqual({ accepted: [], status: 'completed', runAt: 5, events: [] });
  });

  it('keep a task that was to wait until its time, even when it is answered sooner', () => {
    const parked = { questions: [question], status: 'input_required', runAt: 500 } as const;
    const decision = decideAnswer(parked, { answers: { q1: { action: 'decline' } } }, 9);
    expect([decision.status, decision.runAt]).toEqual(['queued', 500]);
  });

  it('never complete a task that is still in the queue', () => {
    const queued = { status: 'queued', fence: 0 } as const;
    expect(canSettle(queued, { kind: 'result', value: 1 })).toBe(false);
    expect(canSettle(queued, { kind: 'cancelled', reason: 'not needed' })).toBe(true);
  });

  it('count an attempt only when it is spent', () => {
    const task = { attempt: 2, fence: 7, startedAt: 1 };
    expect(decideClaim({ ...task, countsAsAttempt: true }, 'w', 9)).toMatchObject({
      attempt: 3,
      fence: 8,
      startedAt: 1,
    });
    expect(decideClaim({ ...task, countsAsAttempt: false }, 'w', 9)).toMatchObject({
      attempt: 2,
      fence: 8,
      startedAt: 1,
    });
  });

  it('name both the loss and the rule when work is not run again', () => {
    const dead = { reason: 'The worker died', delaysMs: [0], atWork: 1 };
    const task = { attempt: 3, maxAttempts: 3, openQuestions: 0, losses: 0 };
    expect(decideRecovery({ ...task, idempotent: false }, dead, 0)).toEqual({
      kind: 'ended',
      outcome: { kind: 'interrupted', reason: 'The worker died; this work may not be repeated' },
    });
    expect(decideRecovery({ ...task, idempotent: true }, dead, 0)).toEqual({
      kind: 'ended',
      outcome: { kind: 'interrupted', reason: 'The worker died; no attempt left of 3' },
    });
  });

  it('find no progress where there is none', () => {
    expect(toProgress(undefined, 1)).toBeUndefined();
    expect(toProgress([{ type: 'stream', data: 1 }], 1)).toBeUndefined();
  });

  it('keep nothing of a result in its tombstone', () => {
    expect(JSON.stringify(toExpired({ kind: 'result', value: 'secret' }))).not.toContain('secret');
  });
});

describe('a cursor', () => {
  it('comes back as the place it was made from', () => {
    for (const row of [0, 1, 35, 36, 123_456_789]) expect(parseCursor(toCursor(row))).toBe(row);
  });

  it.each(['', 'no such', '1.5', '-', '01', 'ZZ', ' 1', '1'.repeat(40)])('is never %j', (text) => {
    expect(() => parseCursor(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});
