import { createServer, type ServerTaskContext, type ServerTool } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp, postModern, readJson } from '../open-http.ts';
import { openPlain } from '../plain-client.ts';

type Run = (task: ServerTaskContext) => unknown;

/** A server with one tool that has `quickMs`; notes for each run whether it was one of a task. */
async function open(run: Run, quickMs = 60_000, more: Partial<ServerTool> = {}) {
  const rig = await openHttp();
  const runs: ('quick' | 'task')[] = [];
  const url = await rig.serve({}, (server) => {
    server.tool('look', {
      idempotent: true,
      quickMs,
      ...more,
      run(_, task) {
        runs.push(task.taskId === '' ? 'quick' : 'task');
        return run(task);
      },
    });
  });
  const call = async (request: { tasks?: boolean; signal?: AbortSignal; params?: object } = {}) => {
    const params = { name: 'look', arguments: {}, ...request.params };
    return readJson(await postModern(url, { method: 'tools/call', ...request, params }));
  };
  const count = async () => (await rig.tasks.list({}, { principal: 'local' })).tasks.length;
  return { url, runs, call, count };
}

function logAndGo(task: ServerTaskContext): string {
  task.log('info', 'looking').catch(() => {});
  return 'seen';
}

const SEEN = { result: { content: [{ type: 'text', text: 'seen' }] } };

describe('a call of a tool with quickMs', () => {
  it.each([false, true])('[ROOMS-350] is answered and leaves no task (tasks extension: %s)', async (tasks) => {
    const { runs, call, count } = await open(() => 'seen');
    expect(await call({ tasks })).toMatchObject(SEEN);
    expect([runs, await count()]).toEqual([['quick'], 0]);
  });

  it('[ROOMS-351] that lasts longer is aborted, and answered by its task', async () => {
    const reasons: unknown[] = [];
    const untilAborted = ({ signal }: ServerTaskContext) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(reasons.push(signal.reason)));
      });
    const { runs, call, count } = await open((task) => (task.taskId === '' ? untilAborted(task) : 'seen'), 1);
    expect(await call()).toMatchObject(SEEN);
    expect([runs, await count()]).toEqual([['quick', 'task'], 1]);
    expect(reasons).toMatchObject([{ code: 'LEASE_LOST' }]);
  });

  it('[ROOMS-351] whose late result nobody waits for any more is answered by its task alone', async () => {
    let end: (text: string) => void = () => {};
    const late = new Promise<string>((resolve) => {
      end = resolve;
    });
    const { runs, call } = await open((task) => (task.taskId === '' ? late : 'seen'), 1);
    expect(await call()).toMatchObject(SEEN);
    end('too late');
    expect(runs).toEqual(['quick', 'task']);
  });

  it.each<[string, Run]>([
    ['fails', (task) => (task.taskId === '' ? Promise.reject(new Error('not yet')) : 'seen')],
    ['tells of progress', (task) => task.progress(0.5).then(() => 'seen')],
    [
      'takes a step, and hides that it could not',
      (task) =>
        task
          .step('one', () => 1)
          .then(
            () => 'seen',
            () => 'hidden',
          ),
    ],
    ['logs without waiting', logAndGo],
    ['returns much', (task) => (task.taskId === '' ? 'x'.repeat(300_000) : 'seen')],
  ])('[ROOMS-351] that %s is answered by its task', async (_, run) => {
    const { runs, call, count } = await open(run);
    expect(await call()).toMatchObject(SEEN);
    expect([runs, await count()]).toEqual([['quick', 'task'], 1]);
  });

  it('[ROOMS-352] with a key is a task from the start, and joined by it', async () => {
    const { runs, call, count } = await open(() => 'seen');
    const params = { _meta: { 'holdfast/idempotencyKey': 'k1' } };
    expect(await call({ params })).toMatchObject(SEEN);
    expect(await call({ params })).toMatchObject(SEEN);
    expect([runs, await count()]).toEqual([['task'], 1]);
  });

  it('[ROOMS-352] of a client that asks for a task is one from the start', async () => {
    const { url, runs, count } = await open(() => 'seen');
    const client = await openPlain(url);
    await client.send('tools/call', { name: 'look', arguments: {}, task: { ttl: 60_000 } });
    await until(() => runs.length === 1);
    expect([runs, await count()]).toEqual([['task'], 1]);
  });

  it('[ROOMS-351] that is cancelled in the middle ends there, and is no task', async () => {
    const reasons: unknown[] = [];
    const { url, runs, count } = await open(({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return new Promise(() => {});
    });
    const client = await openPlain(url);
    const heard = client.call('look');
    heard.catch(() => {});
    await until(() => runs.length === 1);
    await client.cancel('no longer wanted');
    await until(() => reasons.length === 1);
    await heard.catch(() => {});
    expect([runs, await count()]).toEqual([['quick'], 0]);
  });

  it('[ROOMS-351] whose client goes away in the middle is not left behind', async () => {
    const { runs, call, count } = await open((task) => (task.taskId === '' ? new Promise(() => {}) : 'seen'));
    const leaving = new AbortController();
    const left = call({ signal: leaving.signal });
    await until(() => runs.length === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    // Over HTTP a client that goes away may come back: its call is a task that can be joined.
    await until(async () => (await count()) === 1 && runs.includes('task'));
  });
});

it.each<[string, Partial<ServerTool>]>([
  ['idempotent: true', { idempotent: false }],
  ["task 'auto'", { task: 'always' }],
  ['queue', { queue: () => 'one' }],
  ['isolate', { isolate: true }],
  ['deliver', { deliver: () => [] }],
  ['onSubmitted', { onSubmitted() {} }],
  ['redact', { redact: ['/secret'] }],
])('[ROOMS-353] quickMs names what it cannot stand beside: %s', (named, more) => {
  const server = createServer({ name: 'test', version: '1' });
  const add = () => server.tool('look', { idempotent: true, quickMs: 20, run: () => 'seen', ...more });
  expect(add).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(named) }));
});
