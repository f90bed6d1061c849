import { createFakeClock, until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { AskedQuestions } from '../../../dist/dialects/shared/questions/asked-questions.js';
import { parseResultPolicy, type ResultOptions } from '../../../dist/dialects/tasks-2025/result-mode.js';
import { cancelTask, taskResult } from '../../../dist/dialects/tasks-2025/server.js';
import type { TaskResultRequest } from '../../../dist/dialects/tasks-2025/task-result.js';
import { createRecorder, type Desk, done, openDesk, refused, yes } from './open-desk.ts';

const RELATED = 'io.modelcontextprotocol/related-task';

function toRequest(
  { engine }: Desk,
  options: ResultOptions = {},
  change: Partial<TaskResultRequest> = {},
): TaskResultRequest {
  const policy = parseResultPolicy(options, {});
  return { engine, principal: 'local', policy, client: undefined, clock: createFakeClock(), ...change };
}

/** A clock that tells which timers were set. */
function createWatchedClock() {
  const clock = createFakeClock();
  const timers: number[] = [];
  const after: typeof clock.after = (ms, fn) => {
    timers.push(ms);
    return clock.after(ms, fn);
  };
  return { ...clock, timers, after };
}

const stillWorking = "Task result is not ready; task is still 'working'. Poll tasks/get and retry tasks/result.";
const overBudget = 'Task result is not ready within the host-safe wait budget; poll tasks/get and retry tasks/result.';

describe('tasks/result of a task that has ended', () => {
  it('gives exactly the result of the tool, with related-task metadata, again and again', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('quick');
    await desk.engine.outcome(taskId);
    const expected = { ...done, _meta: { [RELATED]: { taskId } } };
    expect(await taskResult(toRequest(desk), { taskId })).toEqual(expected);
    expect(await taskResult(toRequest(desk, { mode: 'immediate_retry' }), { taskId, wait: false })).toEqual(expected);
  });

  it('gives a result with isError as the result it is', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('refuse');
    await desk.engine.outcome(taskId);
    const expected = { ...refused, _meta: { [RELATED]: { taskId } } };
    expect(await taskResult(toRequest(desk), { taskId })).toEqual(expected);
  });

  it('gives what a tool threw as a result with isError', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('throws');
    const expected = { content: [{ type: 'text', text: 'out of ink' }], isError: true };
    expect(await taskResult(toRequest(desk), { taskId })).toMatchObject(expected);
  });

  it('gives a JSON-RPC error of the tool with its own number and data', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('protocolError');
    await expect(taskResult(toRequest(desk), { taskId })).rejects.toMatchObject({
      name: 'RpcFailure',
      code: -32050,
      message: 'no such printer',
      data: { printer: 'p1' },
    });
  });

  it('gives -32800 for a cancelled task', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    await cancelTask(desk.engine, { principal: 'local' }, { taskId });
    await expect(taskResult(toRequest(desk), { taskId })).rejects.toMatchObject({
      code: -32800,
      message: 'Cancelled: The task was cancelled by request.',
    });
  });

  it('says that it has expired once its payload is gone', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('quick', { ttlMs: 0 });
    await desk.engine.outcome(taskId);
    const sweep = { expiresBefore: Date.now() + 1, tombstonesBefore: 0, limit: 1 };
    await until(async () => (await desk.rig.store.tasks.sweep(sweep)).expired === 1);
    await expect(taskResult(toRequest(desk), { taskId })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Task has expired'),
    });
  });
});

describe('the parameters of tasks/result', () => {
  it.each([undefined, {}, { taskId: '' }, { taskId: 7, wait: 'x' }])('need a task id: %j', async (params) => {
    const message = 'Invalid params: tasks/result requires non-empty string taskId';
    const desk = await openDesk();
    await expect(taskResult(toRequest(desk), params)).rejects.toMatchObject({ code: -32602, message });
  });

  it.each([1, 0, 'true', {}, []])(
    'refuse a wait that is no boolean, even for a task that has ended: %j',
    async (wait) => {
      const desk = await openDesk();
      const { taskId } = await desk.submit('quick');
      await desk.engine.outcome(taskId);
      const message = 'Invalid params: tasks/result wait must be a boolean';
      await expect(taskResult(toRequest(desk), { taskId, wait })).rejects.toMatchObject({ code: -32602, message });
    },
  );

  it('take a wait of null as none', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('quick');
    expect(await taskResult(toRequest(desk), { taskId, wait: null })).toMatchObject(done);
  });

  it('answer an unknown id and that of another principal alike', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold', { principal: 'alice' });
    const unknown = { code: -32602, message: 'Failed to retrieve task: Task not found' };
    await expect(taskResult(toRequest(desk), { taskId })).rejects.toMatchObject(unknown);
    await expect(taskResult(toRequest(desk), { taskId: 'nobody' })).rejects.toMatchObject(unknown);
  });
});

describe('tasks/result of a running task', () => {
  it('blocks until the task has ended, for a client that is not on the list', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const clock = createWatchedClock();
    const answer = taskResult(toRequest(desk, {}, { clock, client: { name: 'mcp-inspector' } }), { taskId });
    await untilStatus(desk.engine, taskId, 'working');
    desk.gate.open();
    expect(await answer).toMatchObject(done);
    expect(clock.timers).toEqual([]);
  });

  it('gives the error of a task that fails meanwhile', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const answer = taskResult(toRequest(desk), { taskId });
    await desk.engine.cancel(taskId, { reason: 'not needed' });
    await expect(answer).rejects.toMatchObject({ code: -32800, message: 'Cancelled: not needed' });
  });

  it.each(['claude-code', 'Claude Code', 'claude-ai', 'cursor-vscode', 'windsurf-client', 'continue-client'])(
    'answers -32002 at once to %s, with what a program needs to come again',
    async (name) => {
      const desk = await openDesk();
      const { taskId } = await desk.submit('hold');
      await expect(taskResult(toRequest(desk, {}, { client: { name } }), { taskId })).rejects.toMatchObject({
        name: 'RpcFailure',
        code: -32002,
        message: stillWorking,
        data: { taskId, status: 'working', retryAfterMs: 1000 },
      });
    },
  );

  it('says that a task in the queue is working', async () => {
    const desk = await openDesk();
    const idle = await desk.rig.idleEngine({ later: { run: () => done } }, { identity: 'nobody serves' });
    const { task } = await idle.submit('later', {}, { labels: { dialect: 'tasks-2025' } });
    expect(task.status).toBe('queued');
    const request = toRequest({ ...desk, engine: idle }, { mode: 'immediate_retry' });
    await expect(taskResult(request, { taskId: task.taskId })).rejects.toMatchObject({
      message: stillWorking,
      data: { status: 'working' },
    });
  });

  it('answers -32002 at once in mode immediate_retry, whoever asks', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const request = toRequest(desk, { mode: 'immediate_retry' }, { client: { name: 'mcp-inspector' } });
    await expect(taskResult(request, { taskId })).rejects.toMatchObject({ code: -32002, message: stillWorking });
  });

  it.each(['auto', 'blocking'] as const)('answers -32002 at once in mode %s when wait is false', async (mode) => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const answer = taskResult(toRequest(desk, { mode }), { taskId, wait: false });
    await expect(answer).rejects.toMatchObject({ code: -32002, message: stillWorking });
  });

  it.each([
    ['mode blocking', { options: { mode: 'blocking' } }],
    ['mode immediate_retry with wait true', { options: { mode: 'immediate_retry' }, wait: true }],
    ['a client on the list with wait true', { client: { name: 'claude-code' }, wait: true }],
    ['any other client with wait true', { client: { name: 'mcp-inspector' }, wait: true }],
  ] as const)('is held within the host-safe budget: %s', async (_title, asked) => {
    const { options, client, wait } = { options: {}, client: undefined, wait: undefined, ...asked };
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const clock = createWatchedClock();
    const request = toRequest(desk, options, { clock, client });
    let failure: unknown;
    const answer = taskResult(request, { taskId, wait }).catch((error: unknown) => {
      failure = error;
    });
    await until(() => clock.timers.length > 0);
    expect(clock.timers).toEqual([110_000]);
    await clock.advance(109_999);
    expect(failure).toBeUndefined();
    await clock.advance(1);
    await answer;
    expect(failure).toMatchObject({
      code: -32002,
      message: overBudget,
      data: { taskId, status: 'working', retryAfterMs: 1000 },
    });
    expect((await desk.engine.get(taskId)).status).toBe('working');
  });

  it('gives the result within the budget when the task ends in time', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const answer = taskResult(toRequest(desk, { mode: 'blocking' }), { taskId });
    desk.gate.open();
    expect(await answer).toMatchObject(done);
  });

  it('stops waiting when nobody is left to be answered, and the task goes on', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('hold');
    const gone = new AbortController();
    const answer = taskResult(toRequest(desk, {}, { signal: gone.signal }), { taskId });
    gone.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    await expect(taskResult(toRequest(desk, {}, { signal: gone.signal }), { taskId })).rejects.toThrow('gone');
    expect((await desk.engine.get(taskId)).status).toBe('working');
    desk.gate.open();
    expect(await desk.engine.outcome(taskId)).toMatchObject({ kind: 'result' });
  });
});

describe('tasks/result of a task that asks', () => {
  const question = (taskId: string, key: string, message: string) => ({
    id: `holdfast:${taskId}:${key}`,
    method: 'elicitation/create',
    params: { mode: 'form', message, _meta: { [RELATED]: { taskId } } },
  });

  it('puts an open question to the client, names its task, and goes on to the result', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    const connection = createRecorder();
    const answer = taskResult(toRequest(desk, {}, { connection }), { taskId });
    await until(() => connection.sent.length > 0);
    expect(connection.sent).toMatchObject([question(taskId, 'ok', 'Print it?')]);
    desk.gate.open();
    await desk.engine.answer(taskId, { ok: yes });
    expect(await answer).toMatchObject(done);
  });

  it('puts questions that come up while it waits, each once', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('askTwice');
    const connection = createRecorder();
    const answer = taskResult(toRequest(desk, {}, { connection }), { taskId });
    await until(() => connection.sent.length === 1);
    await desk.engine.answer(taskId, { first: yes });
    await until(() => connection.sent.length === 2);
    await desk.engine.answer(taskId, { second: yes });
    expect(await answer).toMatchObject(done);
    expect(connection.sent).toMatchObject([
      question(taskId, 'first', 'Print it?'),
      question(taskId, 'second', 'In colour?'),
    ]);
  });

  it('puts the question under immediate_retry as well, then answers -32002', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    const connection = createRecorder();
    const request = toRequest(desk, { mode: 'immediate_retry' }, { connection });
    await expect(taskResult(request, { taskId })).rejects.toMatchObject({
      code: -32002,
      message: "Task result is not ready; task is still 'input_required'. Poll tasks/get and retry tasks/result.",
      data: { taskId, status: 'input_required', retryAfterMs: 2000 },
    });
    expect(connection.sent).toMatchObject([question(taskId, 'ok', 'Print it?')]);
  });

  it('does not put a question that another stream of the session has put', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    const connection = createRecorder({ asked: new AskedQuestions() });
    const request = toRequest(desk, { mode: 'immediate_retry' }, { connection });
    await expect(taskResult(request, { taskId })).rejects.toMatchObject({ code: -32002 });
    await expect(taskResult(request, { taskId })).rejects.toMatchObject({ code: -32002 });
    expect(connection.sent).toHaveLength(1);
  });

  it('puts a question again when it could not be sent', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    const asked = new AskedQuestions();
    const broken = createRecorder({ asked, request: () => Promise.reject(new Error('line is down')) });
    const options = { mode: 'immediate_retry' } as const;
    await expect(taskResult(toRequest(desk, options, { connection: broken }), { taskId })).rejects.toThrow(
      'line is down',
    );
    const connection = createRecorder({ asked });
    await expect(taskResult(toRequest(desk, options, { connection }), { taskId })).rejects.toMatchObject({
      code: -32002,
    });
    expect(connection.sent).toHaveLength(1);
  });

  it('does not put a question to a client that cannot answer it', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    const connection = createRecorder({ capabilities: { sampling: {} } });
    const request = toRequest(desk, { mode: 'immediate_retry' }, { connection });
    await expect(taskResult(request, { taskId })).rejects.toMatchObject({ code: -32002 });
    expect(connection.sent).toEqual([]);
  });

  it('says in the answer over budget that input is required', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    const clock = createWatchedClock();
    const answer = taskResult(toRequest(desk, { mode: 'blocking' }, { clock }), { taskId });
    const expected = { code: -32002, message: overBudget, data: { status: 'input_required' } };
    const seen = expect(answer).rejects.toMatchObject(expected);
    await until(() => clock.timers.length > 0);
    await clock.advance(110_000);
    await seen;
  });
});
