import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openDemo } from './open-demo.ts';

const TOOL_IS_ERROR = 5;
const says = (words: string) => ({ content: [{ type: 'text', text: words }] });

interface Pending {
  readonly elicitationPending: { readonly elicitationId: string; readonly message: string };
}

describe.each([
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['http', 'legacy'],
] as const)('mcpdo over %s, %s era', (medium, era) => {
  async function open() {
    const demo = await openDemo({ medium, era });
    // In the modern era the server decides what becomes a task.
    const asTask = era === 'legacy' ? ['--task'] : [];
    const call = (name: string, ...args: string[]) => demo.mcpdo('tools/call', name, ...args, ...asTask);
    const findTask = async () => {
      const find = async () => (await demo.tasks.list({ status: 'working' })).tasks[0];
      return (await until(find, { what: 'a task that works', timeoutMs: 60_000 })).taskId;
    };
    return { ...demo, call, findTask };
  }

  it('gets the result of a quick tool', async () => {
    const { mcpdo } = await open();
    const { code, output } = await mcpdo('tools/call', 'greet', 'name:=Ada');
    expect({ code, output }).toMatchObject({ code: 0, output: says('Hello, Ada!') });
  });

  it('gets the result of a slow tool, of which there was one task', async () => {
    const { call, tasks } = await open();
    expect(await call('slow_compute', 'seconds:=2')).toMatchObject({ code: 0, output: says('slow: worked for 2 s') });
    expect((await tasks.list()).tasks).toMatchObject([{ status: 'completed', attempt: 1 }]);
  });

  it('is told that a task failed, in the words of its tool', async () => {
    const { call } = await open();
    const { code, output, complaints } = await call('failing_job');
    if (era === 'modern') expect({ code, output }).toMatchObject({ code: TOOL_IS_ERROR, output: { isError: true } });
    // Of a failed task of 2025-11-25 it reads the status alone.
    else expect({ code, complaints }).toMatchObject({ code: 1 });
    expect(JSON.stringify(output) + complaints).toContain('the job failed, as it always does');
  });

  it('is told of an error of the protocol', async () => {
    const { call } = await open();
    const { code, complaints } = await call('protocol_error_job');
    expect({ code, complaints }).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('the job broke the protocol, as it always does'),
    });
  });

  it('answers the question of a task with elicitation/respond', async () => {
    const { call, mcpdo } = await open();
    const { code, output } = await call('confirm_delete', 'filename:=notes.txt');
    const { elicitationPending: asked } = output as Pending;
    expect({ code, asked }).toMatchObject({ code: 0, asked: { message: 'Delete notes.txt?' } });
    expect(await mcpdo('elicitation/respond', asked.elicitationId, 'confirm:=true')).toMatchObject({
      code: 0,
      output: says('notes.txt would be gone now'),
    });
  });

  it('reads a task that works with tasks/get, and ends it with tasks/cancel', async () => {
    const { call, mcpdoAside, tasks, findTask } = await open();
    const calling = call('slow_compute', 'seconds:=600');
    const taskId = await findTask();
    expect(await mcpdoAside('tasks/get', taskId)).toMatchObject({
      code: 0,
      output: { task: { taskId, status: 'working' } },
    });
    expect(await mcpdoAside('tasks/cancel', taskId)).toMatchObject({ code: 0 });
    expect(await tasks.get(taskId)).toMatchObject({ status: 'cancelled' });
    expect((await calling).code).not.toBe(0);
    expect(await mcpdoAside('tasks/get', taskId)).toMatchObject({ output: { task: { taskId, status: 'cancelled' } } });
  });

  it('reads what became of a task with tasks/result', async () => {
    const { call, mcpdo, tasks } = await open();
    await call('slow_compute', 'seconds:=1');
    const [task] = (await tasks.list()).tasks;
    expect(await mcpdo('tasks/result', task?.taskId ?? '')).toMatchObject({ output: says('slow: worked for 1 s') });
  });

  it('lists the tasks of the server where the era has a list', async () => {
    const { call, mcpdo, tasks } = await open();
    await call('slow_compute', 'seconds:=1');
    const [task] = (await tasks.list()).tasks;
    const { code, output } = await mcpdo('tasks/list');
    const listed = era === 'legacy' ? [{ taskId: task?.taskId, status: 'completed' }] : [];
    expect({ code, output }).toMatchObject({ code: 0, output: { tasks: listed } });
  });
});
