import { resultFromTaskOutcome, type SerializedTaskReference } from '@modelcontextprotocol/ext-tasks/client';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { connectExtTasks } from '../../e2e/ext-tasks.ts';
import { openSite } from '../../e2e/site.ts';

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

describe.each(['stdio', 'http'] as const)('ext-tasks over %s, era 2026-07-28', (medium) => {
  async function open() {
    const site = await openSite();
    const ext = await connectExtTasks({ site, medium, era: 'modern' });
    const run = async (name: string, args = {}) => {
      const execution = await ext.session.callTool(name, args);
      const { outcome } = await execution.settle();
      return { kind: execution.kind, outcome };
    };
    return { site, ...ext, run };
  }

  it('[ERA-33] gets the result at once when the tool is quick', async () => {
    const { run } = await open();
    expect(await run('greet', { name: 'Ada' })).toMatchObject({
      kind: 'immediate',
      outcome: { status: 'completed', result: text('Hello, Ada!') },
    });
    expect(await run('summary')).toMatchObject({
      kind: 'immediate',
      outcome: { result: { structuredContent: { pages: 12 } } },
    });
  });

  it('[ERA-33] gets a task when the tool is slow, and its result once', async () => {
    const { run, site } = await open();
    expect(await run('render', { ms: 600 })).toMatchObject({
      kind: 'task',
      outcome: { status: 'completed', result: text('report rendered') },
    });
    expect(site.runs()).toEqual(['render report 1']);
  });

  it('[ERA-33] hears what the tool says when it fails, at once or as a task', async () => {
    const { run } = await open();
    const outcome = (words: string) => ({ status: 'completed', result: { ...text(words), isError: true } });
    expect(await run('fail')).toMatchObject({ kind: 'immediate', outcome: outcome('no ink') });
    expect(await run('jam', { politely: true })).toMatchObject({ kind: 'task', outcome: outcome('paper jam') });
  });

  it('[ERA-33] gets the error of the protocol that ended a task', async () => {
    const { run } = await open();
    expect(await run('jam')).toMatchObject({
      kind: 'task',
      outcome: { status: 'failed', error: { code: -32050, message: 'paper jam' } },
    });
  });

  it('[ERA-33] answers one question of a task, and two at once', async () => {
    const { run, asked } = await open();
    expect((await run('publish')).outcome).toMatchObject({ result: text('published') });
    expect((await run('sign')).outcome).toMatchObject({ result: text('signed by Ada in London') });
    expect(asked.sort()).toEqual(['Really? by task-update', 'Where? by task-update', 'Who signs? by task-update']);
  });

  it('[ERA-33] answers what is asked before the task, and then gets the task', async () => {
    const { run, asked, site } = await open();
    expect(await run('order')).toMatchObject({ kind: 'task', outcome: { result: text('3 copies ordered') } });
    expect(asked).toEqual(['How many? by request-retry']);
    expect(site.runs()).toEqual(['order 1']);
  });

  it('[ERA-33] cancels the work behind a task', async () => {
    const { session, site } = await open();
    const execution = await session.callTool('render', { ms: 60_000 });
    await execution.cancel();
    expect(await execution.result()).toMatchObject({ status: 'cancelled' });
    await untilStatus(site.tasks, execution.handle?.taskId ?? '', 'cancelled');
  });

  it('[ERA-33] takes a task up again by its reference, in another session with another server', async () => {
    const { session, site, leave } = await open();
    const execution = await session.callTool('render', { ms: 2000 });
    if (execution.kind !== 'task') throw new Error('the call was answered at once');
    const kept: string[] = [];
    await execution.handoff((reference) => void kept.push(JSON.stringify(reference)));
    await leave();

    const next = await connectExtTasks({ site, medium, era: 'modern' });
    const reference = JSON.parse(kept[0] ?? '') as SerializedTaskReference;
    const { outcome } = await (await next.session.resumeTask(reference)).settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject(text('report rendered'));
    expect(site.runs()).toEqual(['render report 1']);
  });
});
