import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { type HttpRig, openHttp, postModern } from '../open-http.ts';

const LARGE = 300 * 1024;

/** A server whose tool `peek` is tried without a task, for as long as it was never missed. */
async function openQuick({ tasks, serve }: HttpRig, withinMs: number) {
  const seen = { runs: 0, missed: 0 };
  const url = await serve({}, (server) =>
    server.tool('peek', {
      inlineMs: 60_000,
      quick: {
        withinMs: () => (seen.missed > 0 ? undefined : withinMs),
        onMissed() {
          seen.missed += 1;
        },
      },
      async run(args, task) {
        seen.runs += 1;
        const { wait, large, fail } = args as { wait?: boolean; large?: boolean; fail?: boolean };
        if (fail) throw new Error('as told');
        await task.progress(0.5, 'half');
        // As long as it is tried; its task has an id.
        if (wait && task.taskId === '') await until(() => task.signal.aborted, { timeoutMs: 60_000 });
        task.signal.throwIfAborted();
        return large ? 'x'.repeat(LARGE) : `seen ${task.taskId === '' ? 'quickly' : 'as a task'}`;
      },
    }),
  );
  const call = async (args: object, more: object = {}) => {
    const params = { name: 'peek', arguments: args, _meta: { progressToken: 'p' } };
    return (await postModern(url, { method: 'tools/call', params, ...more })).text();
  };
  const count = async () => (await tasks.list({}, { principal: 'local' })).tasks.length;
  return { seen, call, count };
}

it('[GATE-167] a call that is quick has no task, and what it told is told', async () => {
  const { seen, call, count } = await openQuick(await openHttp(), 60_000);
  const told = await call({});
  expect(told).toContain('seen quickly');
  expect(told).toContain('"message":"half"');
  expect(await call({}, { tasks: true })).toContain('seen quickly');
  expect(await call({ fail: true })).toContain('as told');
  expect(seen).toEqual({ runs: 3, missed: 0 });
  expect(await count()).toBe(0);
});

it('[GATE-167] one that takes longer is begun again as a task, and the next one at once', async () => {
  const { seen, call, count } = await openQuick(await openHttp(), 50);
  const told = await call({ wait: true });
  expect(told).toContain('seen as a task');
  expect(told.match(/"message":"half"/g)).toHaveLength(1);
  expect(seen).toEqual({ runs: 2, missed: 1 });
  expect(await call({ wait: true, again: 1 })).toContain('seen as a task');
  expect(seen).toEqual({ runs: 3, missed: 1 });
  expect(await count()).toBe(2);
});

it('[GATE-167] one that gives more than an answer should hold becomes a task, whose result has a link', async () => {
  const { seen, call, count } = await openQuick(await openHttp(), 60_000);
  expect(await call({ large: true })).toContain('holdfast://task/');
  expect(seen).toEqual({ runs: 2, missed: 1 });
  expect(await count()).toBe(1);
});
