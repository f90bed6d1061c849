import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SettledOutcome, toStatus, toStatusMessage } from '../../src/task/outcome.ts';
import { canMove, isTerminal, type Status, statuses } from '../../src/task/status.ts';

const anyStatus = fc.constantFrom(...statuses);

describe('the moves of a task', () => {
  it('[TASK-02] are these and no others', () => {
    const moves = statuses.flatMap((from) =>
      statuses.filter((to) => canMove(from, to)).map((to) => `${from} -> ${to}`),
    );
    expect(moves).toEqual([
      'queued -> working',
      'queued -> failed',
      'queued -> cancelled',
      'working -> queued',
      'working -> input_required',
      'working -> completed',
      'working -> failed',
      'working -> cancelled',
      'input_required -> queued',
      'input_required -> working',
      'input_required -> completed',
      'input_required -> failed',
      'input_required -> cancelled',
    ]);
  });

  it('never leave a terminal state', () => {
    expect(statuses.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled']);
    fc.assert(
      fc.property(fc.array(anyStatus, { minLength: 1, maxLength: 40 }), (wishes) => {
        let status: Status = 'queued';
        let ended: Status | undefined;
        for (const wish of wishes) {
          if (canMove(status, wish)) status = wish;
          if (isTerminal(status)) ended ??= status;
          expect(ended ?? status).toBe(status);
        }
      }),
    );
  });

  it('never complete work that nobody has begun', () => {
    expect(canMove('queued', 'completed')).toBe(false);
  });

  it('let every task that has not ended be cancelled and fail', () => {
    for (const status of statuses.filter((one) => !isTerminal(one))) {
      expect([canMove(status, 'cancelled'), canMove(status, 'failed')]).toEqual([true, true]);
    }
  });

  it('never lead from a state to itself', () => {
    expect(statuses.filter((status) => canMove(status, status))).toEqual([]);
  });
});

describe('an outcome', () => {
  const outcomes: [SettledOutcome, Status, string | undefined][] = [
    [{ kind: 'result', value: null }, 'completed', undefined],
    [{ kind: 'error', error: { code: 'TOOL_FAILED', message: 'No paper', stack: 'at x' } }, 'failed', 'No paper'],
    [{ kind: 'cancelled', reason: 'not needed' }, 'cancelled', 'not needed'],
    [{ kind: 'interrupted', reason: 'The worker died' }, 'failed', 'The worker died'],
  ];

  it.each(outcomes)('$kind has one terminal status and one sentence to say', (outcome, status, message) => {
    expect([toStatus(outcome), toStatusMessage(outcome)]).toEqual([status, message]);
    expect(isTerminal(toStatus(outcome))).toBe(true);
  });
});
