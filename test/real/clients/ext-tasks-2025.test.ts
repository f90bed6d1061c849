import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { connectExtTasks } from '../../e2e/ext-tasks.ts';
import { openSite } from '../../e2e/site.ts';

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const AS_TASK = { task: { preference: 'prefer' } } as const;

describe.each(['stdio', 'http'] as const)('ext-tasks over %s, era 2025-11-25', (medium) => {
  async function open() {
    const site = await openSite();
    const ext = await connectExtTasks({ site, medium, era: 'legacy' });
    // Which tools may be tasks is known once they have been listed.
    await ext.listTools();
    const run = async (name: string, args = {}) => {
      const execution = await ext.session.callTool(name, args, AS_TASK);
      const { outcome } = await execution.settle();
      return { kind: execution.kind, outcome };
    };
    return { site, ...ext, run };
  }

  it('[ERA-34] runs a slow tool as a task, and a tool that is never one at once', async () => {
    const { run, site } = await open();
    expect(await run('render', { ms: 300 })).toMatchObject({
      kind: 'task',
      outcome: { status: 'completed', result: text('report rendered') },
    });
    expect(await run('greet', { name: 'Ada' })).toMatchObject({
      kind: 'immediate',
      outcome: { result: text('Hello, Ada!') },
    });
    expect(site.runs()).toEqual(['render report 1']);
  });

  it('[ERA-34] learns from the status why a tool failed, which is all it reads', async () => {
    const { run } = await open();
    const { outcome } = await run('jam', { politely: true });
    expect(outcome).toMatchObject({ status: 'failed', error: { message: 'paper jam' } });
    expect((await run('jam')).outcome).toMatchObject({ status: 'failed', error: { message: 'paper jam' } });
  });

  it('[ERA-34] is asked although it never calls tasks/result while a question is open', async () => {
    const { run, asked } = await open();
    expect((await run('publish')).outcome).toMatchObject({ result: text('published') });
    expect((await run('sign')).outcome).toMatchObject({ result: text('signed by Ada in London') });
    expect(asked.sort()).toEqual(['Really? by peer-request', 'Where? by peer-request', 'Who signs? by peer-request']);
  });

  it('[ERA-34] lists its tasks and cancels the work behind one', async () => {
    const { session, site } = await open();
    const execution = await session.callTool('render', { ms: 60_000 }, AS_TASK);
    const taskId = execution.handle?.taskId ?? '';
    expect((await session.listTasks()).tasks).toMatchObject([{ taskId, status: 'working' }]);
    await execution.cancel();
    expect(await execution.result()).toMatchObject({ status: 'cancelled' });
    await untilStatus(site.tasks, taskId, 'cancelled');
  });
});
