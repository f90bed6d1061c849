import { describe, expect, it } from 'vitest';
import { COMBINATIONS, connectRaw, PLAIN_META } from '../../e2e/raw-client.ts';
import { awaitEnd, begin, finish } from '../../e2e/raw-task.ts';
import { openSite } from '../../e2e/site.ts';

describe.each(COMBINATIONS)('kill -9 while a client waits over %s, %s era', (medium, era) => {
  async function start(tool: string, ms: number) {
    const site = await openSite();
    const client = await connectRaw(site, medium, era);
    const taskId = await begin(client, tool, { ms });
    await site.untilRuns(1);
    const waiting = awaitEnd(client, taskId).catch(() => 'cut off');
    return { site, client, taskId, waiting };
  }

  it('[ERA-35] of the server: the work goes on, and the next server has its one result', async () => {
    const { site, client, taskId, waiting } = await start('print', 2500);
    const worker = await site.workerPid();
    await client.kill();
    expect(await waiting).toBe('cut off');
    // Signal 0 asks whether there is such a process.
    expect(process.kill(worker, 0)).toBe(true);
    const next = await connectRaw(site, medium, era);
    expect(await finish(next, taskId)).toEqual({ text: 'printed' });
    expect(site.runs()).toEqual(['print 1']);
  });

  it('[ERA-36] of the worker: what may be repeated is run again', async () => {
    const { site, client, taskId } = await start('render', 2500);
    process.kill(await site.workerPid(), 'SIGKILL');
    expect(await finish(client, taskId)).toEqual({ text: 'report rendered' });
    expect(site.runs()).toEqual(['render report 1', 'render report 2']);
  });

  it('[ERA-36] of the worker: what may not be repeated is interrupted, and said to be', async () => {
    const { site, client, taskId } = await start('print', 60_000);
    process.kill(await site.workerPid(), 'SIGKILL');
    expect(await finish(client, taskId)).toEqual({
      error: { code: -32603, message: expect.stringMatching(/^Interrupted: .*may not be repeated$/) },
    });
    expect(await site.tasks.get(taskId)).toMatchObject({ outcome: { kind: 'interrupted' } });
    expect(site.runs()).toEqual(['print 1']);
  });

  it('[ERA-35] of both: the next server has the work done', async () => {
    const { site, client, taskId, waiting } = await start('render', 2500);
    process.kill(await site.workerPid(), 'SIGKILL');
    await client.kill();
    expect(await waiting).toBe('cut off');
    const next = await connectRaw(site, medium, era);
    expect(await finish(next, taskId)).toEqual({ text: 'report rendered' });
    expect(site.runs()).toEqual(['render report 1', 'render report 2']);
  });

  it('[ERA-36] of the worker under a plain call: it is answered all the same', async () => {
    const site = await openSite();
    const client = await connectRaw(site, medium, era);
    const calling = client.request('tools/call', { name: 'render', arguments: { ms: 2500 }, _meta: PLAIN_META });
    await site.untilRuns(1);
    process.kill(await site.workerPid(), 'SIGKILL');
    expect((await calling).result).toMatchObject({ content: [{ text: 'report rendered' }] });
    expect(site.runs()).toEqual(['render report 1', 'render report 2']);
  });
});
