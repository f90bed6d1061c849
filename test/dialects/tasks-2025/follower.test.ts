import type { Task } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AskedQuestions } from '../../../dist/dialects/shared/questions/asked-questions.js';
import { TaskFollower } from '../../../dist/dialects/tasks-2025/follower.js';
import { getTask } from '../../../dist/dialects/tasks-2025/server.js';
import { createRecorder, type Desk, openDesk, type Recorder, yes } from './open-desk.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const STATUS = 'notifications/tasks/status';
const PROGRESS = 'notifications/progress';

function openFollower({ engine }: Desk, connection: Recorder = createRecorder()) {
  const errors: unknown[] = [];
  const follower = new TaskFollower({ engine, connection, report: (error) => void errors.push(error) });
  onTestFinished(() => follower.close());
  const statuses = () => connection.ofMethod(STATUS).map(({ params }) => params.status);
  return { follower, connection, errors, statuses };
}

describe('a follower and the status of a task', () => {
  it('tells every change once and in order, with the whole task', async () => {
    const desk = await openDesk();
    const { follower, connection, statuses } = openFollower(desk);
    const task = await desk.submit('ask');
    follower.follow(task);
    await until(() => statuses().length === 1);
    await desk.engine.answer(task.taskId, { ok: yes });
    await until(() => statuses().length === 2);
    desk.gate.open();
    await until(() => statuses().length === 3);
    expect(statuses()).toEqual(['input_required', 'working', 'completed']);
    const { params } = connection.ofMethod(STATUS).at(-1) ?? {};
    expect(params).toEqual(await getTask(desk.engine, 'local', { taskId: task.taskId }));
  });

  it('stays input_required until the last question is answered', async () => {
    const desk = await openDesk();
    const { follower, statuses } = openFollower(desk);
    const { task } = await desk.engine.submit('askTwice', {}, { labels: { dialect: 'tasks-2025' } });
    follower.follow(task);
    await until(() => statuses().length === 1);
    await desk.engine.answer(task.taskId, { first: yes });
    await until(() => statuses().length === 3);
    await desk.engine.answer(task.taskId, { second: yes });
    await until(() => statuses().at(-1) === 'completed');
    expect(statuses()).toEqual(['input_required', 'working', 'input_required', 'working', 'completed']);
  });

  it('says nothing while the status stays, such as when a task leaves the queue', async () => {
    const desk = await openDesk();
    const { follower, connection } = openFollower(desk);
    const task = await desk.submit('hold');
    follower.follow(task);
    await untilStatus(desk.engine, task.taskId, 'working');
    desk.gate.open();
    await until(() => connection.sent.length > 0);
    expect(connection.sent.map(({ params }) => params.status)).toEqual(['completed']);
  });

  it('tells a result with isError as failed, with its text', async () => {
    const desk = await openDesk();
    const { follower, connection, statuses } = openFollower(desk);
    follower.follow(await desk.submit('refuse'));
    await until(() => statuses().length > 0);
    expect(connection.sent).toMatchObject([
      { method: STATUS, params: { status: 'failed', statusMessage: 'no paper' } },
    ]);
  });

  it('tells a cancelled task as cancelled', async () => {
    const desk = await openDesk();
    const { follower, statuses } = openFollower(desk);
    const task = await desk.submit('hold');
    follower.follow(task);
    await desk.engine.cancel(task.taskId);
    await until(() => statuses().length > 0);
    expect(statuses()).toEqual(['cancelled']);
  });

  it('tells the end of a task that had ended before it was followed, because the client was told working', async () => {
    const desk = await openDesk();
    const { follower, statuses } = openFollower(desk);
    const { taskId } = await desk.submit('quick');
    await desk.engine.outcome(taskId);
    follower.follow(await desk.engine.get(taskId));
    await until(() => statuses().length > 0);
    expect(statuses()).toEqual(['completed']);
  });

  it('says nothing before the answer that names the task can have been written', async () => {
    const desk = await openDesk();
    const { follower, connection } = openFollower(desk);
    const { taskId } = await desk.submit('quick');
    await desk.engine.outcome(taskId);
    follower.follow(await desk.engine.get(taskId));
    await Promise.resolve();
    connection.sent.push({ method: 'the answer', params: {} });
    await until(() => connection.sent.length > 1);
    expect(connection.sent.map(({ method }) => method)).toEqual(['the answer', STATUS]);
  });

  it('follows a task once, however often it is told to', async () => {
    const desk = await openDesk();
    const { follower, statuses } = openFollower(desk);
    const task = await desk.submit('hold');
    follower.follow(task);
    follower.follow(task);
    follower.resume(task);
    desk.gate.open();
    await until(() => statuses().length > 0);
    // Whatever is told of another task comes after what there was to tell of this one.
    follower.follow(await desk.submit('refuse'));
    await until(() => statuses().includes('failed'));
    expect(statuses()).toEqual(['completed', 'failed']);
  });
});

describe('a follower and progress', () => {
  const count = (desk: Desk, values: { value: number; message?: string }[], labels: Record<string, string>) =>
    desk.submit('count', { args: { values }, labels });

  it.each([
    ['a text', 'token-1'],
    ['a number', 7],
  ])('tells it with the original token, which may be %s, and names the task', async (_title, progressToken) => {
    const desk = await openDesk();
    const { follower, connection } = openFollower(desk);
    const values = [{ value: 0.25, message: 'Page 1' }, { value: 1 }, { value: 30 }];
    const task = await count(desk, values, { progressToken: JSON.stringify(progressToken) });
    follower.follow(task);
    await until(() => connection.sent.length === 3);
    const _meta = { [RELATED]: { taskId: task.taskId } };
    expect(connection.sent).toEqual([
      { method: PROGRESS, params: { progressToken, progress: 0.25, total: 1, message: 'Page 1', _meta } },
      { method: PROGRESS, params: { progressToken, progress: 1, total: 1, _meta } },
      { method: PROGRESS, params: { progressToken, progress: 30, _meta } },
    ]);
  });

  it('leaves out every value that does not rise', async () => {
    const desk = await openDesk();
    const { follower, connection, statuses } = openFollower(desk);
    const values = [0, 0.5, 0.5, 0.2, 0.6].map((value) => ({ value }));
    follower.follow(await count(desk, values, { progressToken: '1' }));
    desk.gate.open();
    await until(() => statuses().length > 0);
    expect(connection.ofMethod(PROGRESS).map(({ params }) => params.progress)).toEqual([0, 0.5, 0.6]);
  });

  it('begins above what had been reached when a connection is taken up again', async () => {
    const desk = await openDesk();
    const values = [{ value: 0.5 }];
    const { taskId } = await count(desk, values, { progressToken: '1' });
    const seen = await until(async () => {
      const task = await desk.engine.get(taskId);
      return task.progress && task;
    });
    const { follower, connection, statuses } = openFollower(desk);
    // The history is told again from the start, as after a worker was lost.
    follower.resume({ ...seen, lastSeq: 0 } as Task);
    desk.gate.open();
    await until(() => statuses().length > 0);
    expect(connection.ofMethod(PROGRESS)).toEqual([]);
  });

  it.each([undefined, 'not json', 'null', '{}'])('is not told without a token: %j', async (progressToken) => {
    const desk = await openDesk();
    const { follower, connection, statuses } = openFollower(desk);
    const values = [{ value: 0.5 }];
    follower.follow(await count(desk, values, progressToken === undefined ? {} : { progressToken }));
    desk.gate.open();
    await until(() => statuses().length > 0);
    expect(connection.ofMethod(PROGRESS)).toEqual([]);
  });

  it('shows its last message in the next change of status', async () => {
    const desk = await openDesk();
    const engine = await desk.rig.engine(
      {
        report: {
          async run(_args: unknown, task) {
            await task.progress(0.5, 'Page 5');
            await task.ask({ key: 'go', roots: true });
            return {};
          },
        },
      },
      { identity: 'reports' },
    );
    const { follower, connection, statuses } = openFollower({ ...desk, engine });
    const { task } = await engine.submit('report', {}, { labels: { dialect: 'tasks-2025' } });
    follower.follow(task);
    await until(() => statuses().length > 0);
    expect(connection.ofMethod(STATUS)).toMatchObject([
      { params: { status: 'input_required', statusMessage: 'Page 5' } },
    ]);
  });
});

describe('a follower and questions', () => {
  it('asks by a request whose id names task and question, after the status has been told', async () => {
    const desk = await openDesk();
    const { follower, connection } = openFollower(desk);
    const { taskId } = await desk.submit('ask');
    follower.follow(await desk.engine.get(taskId));
    await until(() => connection.sent.length === 2);
    expect(connection.sent).toMatchObject([
      { method: STATUS, params: { taskId, status: 'input_required' } },
      {
        id: `holdfast:${taskId}:ok`,
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Print it?', _meta: { [RELATED]: { taskId } } },
      },
    ]);
  });

  it('gives a request without parameters of its own the metadata that names its task', async () => {
    const desk = await openDesk();
    const { follower, connection } = openFollower(desk);
    const task = await desk.submit('askRoots');
    follower.follow(task);
    await until(() => connection.ofMethod('roots/list').length > 0);
    const _meta = { [RELATED]: { taskId: task.taskId } };
    expect(connection.ofMethod('roots/list')).toMatchObject([{ params: { _meta } }]);
  });

  it('does not ask a client that cannot answer', async () => {
    const desk = await openDesk();
    const { follower, connection, statuses } = openFollower(desk, createRecorder({ capabilities: {} }));
    const task = await desk.submit('ask');
    follower.follow(task);
    await until(() => statuses().length > 0);
    await desk.engine.answer(task.taskId, { ok: yes });
    await until(() => statuses().length === 2);
    expect(connection.ofMethod('elicitation/create')).toEqual([]);
  });

  it('asks nothing twice on one connection, also not when the task is taken up again', async () => {
    const desk = await openDesk();
    const { follower, connection, statuses } = openFollower(desk);
    const [asking, other] = [await desk.submit('ask'), await desk.submit('askTwice')];
    follower.follow(asking);
    follower.follow(other);
    await until(() => connection.ofMethod('elicitation/create').length === 2);
    await desk.engine.answer(other.taskId, { first: yes });
    await until(() => connection.ofMethod('elicitation/create').length === 3);
    follower.resume(await desk.engine.get(asking.taskId));
    await desk.engine.answer(other.taskId, { second: yes });
    await until(() => statuses().includes('completed'));
    const ids = connection.ofMethod('elicitation/create').map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).toHaveLength(3);
  });

  it('does not ask what another stream of the session has asked', async () => {
    const desk = await openDesk();
    const asked = new AskedQuestions();
    const [first, second] = [createRecorder({ asked }), createRecorder({ asked })];
    const { taskId } = await desk.submit('ask');
    const task = await untilStatus(desk.engine, taskId, 'input_required');
    openFollower(desk, first).follower.follow(task);
    await until(() => first.ofMethod('elicitation/create').length > 0);
    const { follower, statuses } = openFollower(desk, second);
    follower.follow(task);
    await desk.engine.answer(taskId, { ok: yes });
    await until(() => statuses().length === 2);
    expect(second.ofMethod('elicitation/create')).toEqual([]);
  });

  it('does not ask what has been answered by the time it is read', async () => {
    const desk = await openDesk();
    const { taskId, ...early } = await desk.submit('ask');
    await untilStatus(desk.engine, taskId, 'input_required');
    await desk.engine.answer(taskId, { ok: yes });
    const { follower, connection, statuses } = openFollower(desk);
    follower.follow({ taskId, ...early });
    desk.gate.open();
    await until(() => statuses().includes('completed'));
    expect(connection.ofMethod('elicitation/create')).toEqual([]);
  });
});

describe('a follower of a new connection', () => {
  it('asks what is open there, and tells only what changes from then on', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('ask');
    const task = await untilStatus(desk.engine, taskId, 'input_required');
    const { follower, connection, statuses } = openFollower(desk);
    follower.resume(task);
    await until(() => connection.sent.length > 0);
    expect(connection.sent).toMatchObject([{ method: 'elicitation/create' }]);
    await desk.engine.answer(taskId, { ok: yes });
    await until(() => statuses().length > 0);
    expect(statuses()).toEqual(['working']);
  });

  it('passes over tasks that have ended', async () => {
    const desk = await openDesk();
    const { taskId } = await desk.submit('quick');
    await desk.engine.outcome(taskId);
    const running = await desk.submit('hold');
    const { follower, connection, statuses } = openFollower(desk);
    for (const task of [await desk.engine.get(taskId), running]) follower.resume(task);
    desk.gate.open();
    await until(() => statuses().length > 0);
    expect(connection.sent.map(({ params }) => params.taskId)).toEqual([running.taskId]);
  });
});

describe('closing a follower', () => {
  it('ends the telling and never the work', async () => {
    const desk = await openDesk();
    const { follower, connection, errors } = openFollower(desk);
    const task = await desk.submit('hold');
    follower.follow(task);
    await untilStatus(desk.engine, task.taskId, 'working');
    follower.close();
    desk.gate.open();
    expect(await desk.engine.outcome(task.taskId)).toMatchObject({ kind: 'result' });
    follower.follow(await desk.submit('quick'));
    follower.close();
    // Another one hears the end of both, so this one had the time to.
    const other = openFollower(desk);
    other.follower.follow(await desk.submit('quick'));
    await until(() => other.statuses().length > 0);
    expect(connection.sent).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('keeps quiet about a line that breaks meanwhile', async () => {
    const desk = await openDesk();
    let broke = false;
    const connection = createRecorder({
      async notify() {
        follower.close();
        broke = true;
        throw new Error('line is down');
      },
    });
    const { follower, errors } = openFollower(desk, connection);
    follower.follow(await desk.submit('quick'));
    await until(() => broke);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
  });
});

describe('a line that breaks', () => {
  it('is reported, costs the work nothing, and the task can be taken up again', async () => {
    const desk = await openDesk();
    let broken = true;
    const connection = createRecorder();
    const { notify } = connection;
    const line = {
      ...connection,
      notify: (...args: Parameters<typeof notify>) =>
        broken ? Promise.reject(new Error('line is down')) : notify(...args),
    };
    const { follower, errors, statuses } = openFollower(desk, line);
    const task = await desk.submit('ask');
    follower.follow(task);
    await until(() => errors.length > 0);
    expect(errors).toMatchObject([{ message: 'line is down' }]);
    broken = false;
    follower.resume(await desk.engine.get(task.taskId));
    await until(() => connection.ofMethod('elicitation/create').length > 0);
    await desk.engine.answer(task.taskId, { ok: yes });
    await until(() => statuses().length > 0);
    expect(statuses()).toEqual(['working']);
  });
});
