import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/task/status.ts';
import { until, untilStatus } from '../../src/testing/until.ts';

describe('until', () => {
  it('probes again until it sees something, and returns that', async () => {
    let probes = 0;
    const seen = await until(() => {
      probes += 1;
      return probes === 3 ? 'there' : undefined;
    });
    expect([seen, probes]).toEqual(['there', 3]);
  });

  it('takes a probe that throws for one that has not seen it yet', async () => {
    let probes = 0;
    const seen = await until(async () => {
      probes += 1;
      if (probes < 3) throw new Error('not there');
      return probes;
    });
    expect(seen).toBe(3);
  });

  it('says what it waited for, and what it saw instead', async () => {
    const waiting = until(() => 0, { timeoutMs: 20, what: 'the lamp to be lit' });
    await expect(waiting).rejects.toThrow('Waited 20 ms for the lamp to be lit; at the end the probe saw 0');
  });

  it('[ROOMS-341] shows the probe where nobody said what is waited for', async () => {
    const lamp = { isLit: false };
    const waiting = until(() => lamp.isLit, { timeoutMs: 20 });
    await expect(waiting).rejects.toThrow('Waited 20 ms for () => lamp.isLit; at the end the probe saw false');
    const probe = Object.assign(() => 0, { toString: () => 'x'.repeat(200) });
    const long = until(probe, { timeoutMs: 1 });
    await expect(long).rejects.toThrow(/^Waited 1 ms for .{120}…; at the end/);
  });

  it('gives the last error of the probe as the cause', async () => {
    const cause = new Error('no lamp');
    const waiting = until(() => Promise.reject(cause), { timeoutMs: 20 });
    await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('the probe threw'), cause });
  });
});

describe('untilStatus', () => {
  const walk = (statuses: (Status | undefined)[]) => {
    let place = -1;
    return {
      get: async () => {
        place = Math.min(place + 1, statuses.length - 1);
        const status = statuses[place];
        return status && { status, taskId: 't' };
      },
    };
  };

  it('returns the task once it has the status', async () => {
    const task = await untilStatus(walk([undefined, 'queued', 'working', 'completed']), 't', 'working');
    expect(task).toEqual({ taskId: 't', status: 'working' });
  });

  it('fails at once when the task has ended otherwise', async () => {
    const waiting = untilStatus(walk(['working', 'failed']), 't', 'completed');
    await expect(waiting).rejects.toThrow('Task t cannot become completed; it has ended as failed');
  });
});
