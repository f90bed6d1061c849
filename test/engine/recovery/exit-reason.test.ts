import { describe, expect, it } from 'vitest';
import { openSite } from '../workers/start-program.ts';

// The process table tells who is gone; a busy machine must not make anybody late.
const DETACHED = { identity: 'same', leaseMs: 20_000, workers: 'detached' } as const;

describe('a worker that a tool has ended', () => {
  it('[FIRST-315] [FIRST-316] by an unhandled rejection: the outcome says so, with the tool and the log; what may be repeated is', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    const culprit = await program.submit('strayOnce');
    await site.untilRuns(1);
    await site.touch('stray');
    const outcome = await site.access.outcome(culprit);
    expect(outcome).toMatchObject({
      kind: 'interrupted',
      reason:
        'its worker process ended: unhandled rejection while tool strayOnce was at work; this work may not be repeated',
    });
    const { details = '' } = outcome as { details?: string };
    expect(details).toContain(`log: ${site.folder}`);
    expect(details).toContain('worker-same.log');
    expect(details).toContain('Error: nobody takes this');
    expect(details).toMatch(/at .*stray.*engine-program\.js/);
  });

  it('[FIRST-316] by process.exit: those beside it are run again, or say which tools were at work', async () => {
    const site = await openSite();
    const program = site.start(DETACHED);
    await program.submit('leaveOnce');
    const again = await program.submit('hold', { until: 'go' });
    const once = await program.submit('holdOnce', { until: 'go' });
    await site.untilRuns(3);
    await site.touch('leave');
    expect(await site.access.outcome(once)).toMatchObject({
      kind: 'interrupted',
      reason:
        'its worker process ended: process.exit(3) while one of the tools hold, holdOnce, leaveOnce was at work; this work may not be repeated',
    });
    await site.touch('go');
    expect(await site.access.outcome(again)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
  });
});
