/** What the dashboard does to many tasks, and what it lets one save. */
import { createEngine, createMemoryStore, OPERATOR, type TaskContext } from 'holdfast';
import { createDashboard } from 'holdfast/dashboard';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const HERE = 'http://127.0.0.1:4399';

async function openRig() {
  const calls: unknown[] = [];
  const engine = await createEngine({
    name: 'dash',
    store: createMemoryStore(),
    workers: 'inline',
    outbox: { mail: () => Promise.reject(new Error('no postman')) },
    onError: () => {},
    tools: {
      add: {
        input: z.object({ by: z.number() }),
        run: ({ by }: { by: number }) => {
          calls.push(by);
          if (by < 0) throw new Error('negative');
          return by;
        },
      },
      keep: {
        run: async (_: unknown, task: TaskContext) => {
          const page = await task.artifact('page', `<script>alert(1)</script>${'ä'.repeat(3_000_000)}`, {
            mimeType: 'text/html',
          });
          const bytes = await task.artifact('pic.bin', new Uint8Array([0, 255, 13, 10]));
          return { content: [page, bytes].map((one) => ({ type: 'resource_link', ...one })) };
        },
      },
    } as never,
  });
  await engine.start();
  const who = { ada: 'ada', root: OPERATOR } as const;
  const verify = ({ headers }: Request) => who[headers.get('authorization') as keyof typeof who];
  const dashboard = createDashboard(engine, { verify });
  onTestFinished(async () => {
    dashboard.close();
    await engine.close();
  });
  const get = (path: string, user: keyof typeof who = 'root') =>
    dashboard.fetch(new Request(`${HERE}${path}`, { headers: { authorization: user } }));
  const post = (path: string, body: object, user: keyof typeof who = 'root') => {
    const headers = { authorization: user, 'content-type': 'application/json' };
    return dashboard.fetch(new Request(`${HERE}${path}`, { method: 'POST', body: JSON.stringify(body), headers }));
  };
  return { engine, calls, get, post };
}

it('[SAND-285] all ended tasks that a filter finds are run again, oldest first, and no others', async () => {
  const { engine, calls, get, post } = await openRig();
  for (const by of [1, -2, 3, -4]) {
    const { taskId } = (await engine.submit('add' as never, { by } as never, { principal: 'ada' })).task;
    await engine.outcome(taskId, { principal: 'ada' });
  }
  const many = await post('/api/rerun-matching', { status: 'failed', tool: 'add' });
  expect(await many.json()).toEqual({ rerun: 2, refused: 0, hasMore: false });
  await until(() => calls.length === 6);
  expect(calls.slice(4)).toEqual([-2, -4]);
  const { tasks } = (await (await get('/api/tasks', 'ada')).json()) as { tasks: { taskId: string }[] };
  expect(tasks).toHaveLength(6);
  const newest = await (await get(`/api/tasks/${tasks[0]?.taskId}/events`)).json();
  expect(newest).toMatchObject({ events: [{ type: 'submitted', by: { client: { name: 'dashboard' } } }, {}, {}] });
  // Another person's filter finds nothing of hers.
  expect(await (await post('/api/rerun-matching', { principal: 'bob', tool: 'add' }, 'root')).json()).toMatchObject({
    rerun: 0,
  });
  expect((await post('/api/rerun-matching', { status: 'odd' })).status).toBe(400);
});

it('[SAND-286] one task is run again with other arguments, which are checked, by those who may see it', async () => {
  const { engine, calls, post } = await openRig();
  const { taskId } = (await engine.submit('add' as never, { by: 1 } as never, { principal: 'bob' })).task;
  await engine.outcome(taskId, { principal: 'bob' });
  const rerun = (body: object, user?: 'ada' | 'root') => post(`/api/tasks/${taskId}/rerun`, body, user);
  expect((await rerun({}, 'ada')).status).toBe(404);
  expect((await rerun({ args: { by: 'much' } })).status).toBe(400);
  expect((await rerun({ fromStep: 7 })).status).toBe(400);
  expect((await rerun({ fromStep: 'none' })).status).toBe(400);
  const answer = (await (await rerun({ args: { by: 9 } })).json()) as { task: { taskId: string; principal: string } };
  expect(answer.task.principal).toBe('bob');
  expect(await engine.outcome(answer.task.taskId, { principal: 'bob' })).toEqual({ kind: 'result', value: 9 });
  expect(calls).toEqual([1, 9]);
});

it('[SAND-287] an artifact is saved whole, and never as a page of ours; those of others are not there', async () => {
  const { engine, get } = await openRig();
  const { taskId } = (await engine.submit('keep' as never, {} as never, { principal: 'bob' })).task;
  await engine.outcome(taskId, { principal: 'bob' });
  const page = await get(`/api/tasks/${taskId}/artifacts/page`);
  expect(page.headers.get('content-type')).toBe('application/octet-stream');
  expect(page.headers.get('content-disposition')).toBe('attachment; filename="page.html"');
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const whole = await page.text();
  expect(whole.length).toBe(3_000_025);
  expect(page.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)));
  const bytes = await (await get(`/api/tasks/${taskId}/artifacts/pic.bin`)).arrayBuffer();
  expect([...new Uint8Array(bytes)]).toEqual([0, 255, 13, 10]);
  expect((await get(`/api/tasks/${taskId}/artifacts/page`, 'ada')).status).toBe(404);
  expect((await get(`/api/tasks/${taskId}/artifacts/other`)).status).toBe(404);
  expect((await get(`/api/tasks/${taskId}/artifacts/..%2Fpage`)).status).toBe(400);
});

it('[SAND-288] a task tells which of its deliveries still wait', async () => {
  const { engine, get } = await openRig();
  const deliver = [{ topic: 'mail' }];
  const { taskId } = (await engine.submit('add' as never, { by: 1 } as never, { deliver })).task;
  await engine.outcome(taskId);
  const read = async () => (await (await get(`/api/tasks/${taskId}`)).json()) as { undelivered: { tries: number }[] };
  await until(async () => (await read()).undelivered[0]?.tries === 1);
  expect((await read()).undelivered).toMatchObject([{ topic: 'mail', tries: 1 }]);
});
