import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_TTL_MS } from '../../src/task/ttl.ts';
import { connect, NOT_FOUND, openLegacy, type TaskShape } from './open-2025.ts';

const METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel'];

describe('tasks/list', () => {
  it('[T25-47] gives a page at a time and a cursor while there are more, each task once', async () => {
    const client = await openLegacy();
    const started = new Set<string>();
    for (let n = 0; n < 130; n++) started.add((await client.start('quick')).taskId);
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: unknown; pages === 0 || cursor !== undefined; pages++) {
      const page = await client.ask('tasks/list', cursor === undefined ? {} : { cursor });
      seen.push(...(page.tasks as TaskShape[]).map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    }
    expect(pages).toBeGreaterThan(1);
    expect(seen).toHaveLength(130);
    expect(new Set(seen)).toEqual(started);
  });

  it('[T25-48] shows every task that can be got, as tasks/get shows it', async () => {
    const client = await openLegacy();
    await client.start('hold');
    const { taskId } = await client.start('refuse');
    await client.untilStatus(taskId, 'failed');
    const { tasks } = await client.ask('tasks/list');
    expect(tasks).toHaveLength(2);
    for (const task of tasks as TaskShape[]) expect(await client.get(task.taskId)).toEqual(task);
  });

  it.each(['nonsense', '', 7, null, 'dGFza3M6djE6NTA'])('[T25-49] is -32602 with the cursor %j', async (cursor) => {
    const { error } = await (await openLegacy()).send('tasks/list', { cursor });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('cursor') });
  });

  it('[T25-48] is empty before there are tasks', async () => {
    expect(await (await openLegacy()).ask('tasks/list')).toEqual({ tasks: [] });
  });
});

describe('an id', () => {
  it('[T25-50] that nobody knows is -32602, and is not repeated to whoever sent it', async () => {
    const client = await openLegacy();
    for (const method of METHODS) {
      expect((await client.send(method, { taskId: 'made-up' })).error).toMatchObject(NOT_FOUND);
    }
  });

  it.each([undefined, '', 7, null, {}])(
    '[T25-50] that is none is -32602, and the message says so: %j',
    async (taskId) => {
      const client = await openLegacy();
      for (const method of METHODS) {
        const { error } = await client.send(method, taskId === undefined ? {} : { taskId });
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('taskId') });
      }
    },
  );
});

describe('a task and who it belongs to', () => {
  const verify = (request: Request) => {
    const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    return subject ? { issuer: 'https://id.example', subject } : undefined;
  };
  const as = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });

  it('[T25-51] [T25-52] is there for its principal alone, in every session of theirs', async () => {
    const ada = await openLegacy({ verify }, as('ada'));
    const bob = await connect(ada.url, as('bob'));
    const { taskId } = await ada.start('hold');
    for (const method of METHODS) expect((await bob.send(method, { taskId })).error).toMatchObject(NOT_FOUND);
    expect(await bob.ask('tasks/list')).toEqual({ tasks: [] });
    const again = await connect(ada.url, as('ada'));
    expect((await again.get(taskId)).status).toBe('working');
    expect(await again.ask('tasks/list')).toMatchObject({ tasks: [{ taskId }] });
  });
});

describe('limits', () => {
  it('[T25-53] refuse more tasks than may wait, by name', async () => {
    const client = await openLegacy({ queueLimit: 1, concurrency: 1 });
    const { taskId } = await client.start('hold');
    await client.untilStatus(taskId, 'working');
    const answers = [];
    for (let n = 0; n < 3; n++) {
      answers.push(await client.send('tools/call', { name: 'hold', arguments: {}, task: {} }));
    }
    expect(answers.at(-1)?.error).toMatchObject({ code: -32603, data: { code: 'QUEUE_FULL' } });
    expect((await client.get(taskId)).status).toBe('working');
  });

  it('[T25-54] are documented: the longest ttl, the number of waiting tasks and who sees what', async () => {
    const text = await readFile(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
    const section = text.slice(text.indexOf('## Tasks 2025-11-25')).split('\n## ')[0] ?? '';
    expect(section).toContain(MAX_TTL_MS.toLocaleString('en').replaceAll(',', '_'));
    expect(section).toContain('queueLimit');
    expect(section).toContain('one principal');
  });
});

describe('a fault of the server', () => {
  it('[T25-55] is -32603 and tells nothing of its inside', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-fault-'));
    const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
    onTestFinished(async () => {
      await store.close();
      await rm(dir, { recursive: true });
    });
    let isBroken = false;
    const get: typeof store.tasks.get = (ref) =>
      isBroken ? Promise.reject(new Error('secret: disk on fire')) : store.tasks.get(ref);
    const tasks = Object.assign(Object.create(store.tasks), { get });
    const client = await openLegacy({ store: Object.assign(Object.create(store), { tasks }) });
    const { taskId } = await client.start('quick');
    await client.untilStatus(taskId, 'completed');
    isBroken = true;
    const { error } = await client.send('tasks/get', { taskId });
    isBroken = false;
    expect(error).toMatchObject({ code: -32603 });
    expect(JSON.stringify(error)).not.toContain('secret');
    expect((await client.get(taskId)).status).toBe('completed');
  });
});
