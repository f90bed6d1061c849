import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRawStdio } from '../../e2e/raw-client.ts';
import { answer, begin, finish, getStatus } from '../../e2e/raw-task.ts';
import { openSite } from '../../e2e/site.ts';

describe.each(['modern', 'legacy'] as const)('a host that spawns the server twice, %s era', (era) => {
  it('[ERA-37] may talk to the second without a handshake, about tasks of the first', async () => {
    const site = await openSite();
    const first = await openRawStdio(site, era);
    const taskId = await begin(first, 'publish');
    await untilStatus(site.tasks, taskId, 'input_required');
    const second = await openRawStdio(site, era, { handshake: false });
    expect(await getStatus(second, taskId)).toBe('input_required');
    await answer(second, { taskId, key: 'q1', result: { action: 'accept', content: { really: true } } });
    expect(await finish(second, taskId)).toEqual({ text: 'published' });
    expect(await finish(first, taskId)).toEqual({ text: 'published' });
    expect(site.runs()).toEqual(['publish 1']);
  });

  it('[ERA-37] may call, list and cancel through the second alone, when the first is gone', async () => {
    const site = await openSite();
    const first = await openRawStdio(site, era);
    const taskId = await begin(first, 'render', { ms: 60_000 });
    await site.untilRuns(1);
    const second = await openRawStdio(site, era, { handshake: false });
    await first.kill();
    const { result } = await second.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    expect(result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
    const listed = await second.request('tools/list');
    expect(listed.result?.tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'render' })]));
    expect(await second.request('tasks/cancel', { taskId })).toMatchObject({ result: {} });
    await untilStatus(site.tasks, taskId, 'cancelled');
  });
});
