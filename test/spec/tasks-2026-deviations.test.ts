import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp, postModern } from '../server/open-http.ts';
import { named, openModern } from './open-2026.ts';

describe('where Holdfast deviates from the letter of Tasks 2026-07-28', () => {
  it('[T26-61] questions that a client cannot be asked stay open for others, and it is told what is missing', async () => {
    const { start, untilStatus, get, update } = await openModern();
    const taskId = await start('two');
    await until(async () => Object.keys((await get(taskId)).inputRequests ?? {}).length === 2);
    const hidden = await get(taskId, { capabilities: {} });
    expect(hidden).toMatchObject({ status: 'input_required', statusMessage: expect.stringContaining('elicitation') });
    expect(hidden.inputRequests).toEqual({});
    await update(taskId, { a: named('Ada'), b: named('Bob') });
    await untilStatus(taskId, 'completed');
  });

  it('[T26-62] a connection that breaks before the handle was given does not stop the work', async () => {
    const rig = await openHttp();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = () => released.then(() => 'done');
    const url = await rig.serve({}, (server) => server.tool('slow', { inlineMs: 60_000, run }));
    const leaving = new AbortController();
    const params = { name: 'slow', arguments: {} };
    const call = postModern(url, { method: 'tools/call', params, tasks: true, signal: leaving.signal });
    const taskId = await rig.onlyTask();
    leaving.abort();
    await expect(call).rejects.toThrow('aborted');
    release();
    expect(await rig.tasks.outcome(taskId)).toMatchObject({ kind: 'result' });
  });
});
