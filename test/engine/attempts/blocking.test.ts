import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite, type Site } from '../workers/start-program.ts';

/** A thread takes a moment to start; a block counts only once it is there. */
async function untilHeartBeats(site: Site): Promise<void> {
  const read = async () => (await site.store.workers.list())[0]?.until ?? 0;
  const first = await read();
  await until(async () => (await read()) > first);
}

describe('a tool that blocks the thread of an inline worker', () => {
  it('[ENGINE-10] keeps its lease for longer than the lease, from a thread', async () => {
    const site = await openSite();
    // A heart may miss some beats on a busy machine, but not for as long as this.
    const options = { identity: 'same', leaseMs: 5000, superviseMs: 20 };
    const blocked = site.start(options);
    const taskId = await blocked.submit('blockFirst', { ms: 11_000 });
    await site.untilRuns(1);
    await untilHeartBeats(site);
    // This one would recover and run it if the heart stopped.
    const other = site.start(options);
    await site.access.outcome(await other.submit('where'));
    await site.touch('block');
    expect(await site.access.outcome(taskId)).toEqual({
      kind: 'result',
      value: { pid: blocked.child.pid, attempt: 1 },
    });
    expect(await site.runs()).toHaveLength(1);
  });

  it('[ENGINE-17] for longer than maxBlockMs loses it: others run or interrupt its tasks, and it changes nothing later', async () => {
    const site = await openSite();
    const options = { identity: 'blocked', leaseMs: 2500, superviseMs: 20, maxBlockMs: 1000 };
    const blocked = site.start(options);
    const again = await blocked.submit('blockFirst', { until: 'unblock' });
    const once = await blocked.submit('holdOnce', { until: 'go' });
    await site.untilRuns(2);
    site.start(options);
    await site.touch('block');
    expect(await site.access.outcome(once)).toMatchObject({ kind: 'interrupted' });
    const outcome = await site.access.outcome(again);
    expect(outcome).toMatchObject({ kind: 'result' });
    expect(outcome).not.toMatchObject({ value: { pid: blocked.child.pid } });
    // The blocked program comes to, finds that its place is gone, and serves again under a new one.
    await site.touch('unblock');
    const later = await blocked.submit('where');
    expect(await site.access.outcome(later)).toMatchObject({ kind: 'result' });
    await until(async () =>
      (await site.store.workers.list()).some(({ process: ref }) => ref?.pid === blocked.child.pid),
    );
    expect((await site.get(again)).outcome).toEqual(outcome);
    expect((await site.get(once)).outcome).toMatchObject({ kind: 'interrupted' });
    await blocked.end();
    expect(await blocked.stderr).not.toMatch(/Unhandled|TypeError/);
  });
});
