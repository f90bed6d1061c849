import { describe, expect, it } from 'vitest';
import { toWireOutcome } from '../../../src/dialects/shared/outcomes/wire-outcome.ts';
import type { Outcome } from '../../../src/task/outcome.ts';
import type { Task } from '../../../src/task/record.ts';

const tell = (outcome: Outcome, principal: string) => JSON.stringify(toWireOutcome({ outcome, principal } as Task));

describe.each(['local', 'somebody'])('what is kept for the operator alone, told to %s', (principal) => {
  it('[FIRST-318] is not: the log of a worker', () => {
    const told = tell(
      { kind: 'interrupted', reason: 'its worker process ended', details: 'log: /secret/x' },
      principal,
    );
    expect(told).toContain('Interrupted: its worker process ended');
    expect(told).not.toContain('secret');
  });

  it('[FIRST-318] is not: the stack of an error', () => {
    const error = {
      code: 'TOOL_FAILED',
      message: 'no paper',
      stack: 'Error: no paper\n    at print (/secret/print.js:1:1)',
    };
    const told = tell({ kind: 'error', error }, principal);
    expect(told).toContain('no paper');
    expect(told).not.toContain('secret');
  });
});
