/** Whose is what a server on stdio logs and asks, when it works at several calls at once. */
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { ConnectionPool } from '../../../src/gateway/upstreams/connection-pool.ts';
import { openRawStdio, type RawClient } from '../../e2e/raw-client.ts';
import { answer, begin, finish } from '../../e2e/raw-task.ts';
import { openKeptHttp } from '../../host/keeper/open-kept.ts';
import { foreign, type GatewaySite, openGateway } from '../open-gateway.ts';

const deaf = foreign('deaf-server');
const PATIENCE = { timeoutMs: 60_000 };

const countProcesses = (site: GatewaySite) => site.runs().filter((line) => line.startsWith('runs ')).length;

/** The question of a task, answered with a name. */
async function answerWith(client: RawClient, taskId: string, name: string): Promise<string> {
  const asked = async () => {
    const { inputRequests } = (await client.request('tasks/get', { taskId })).result ?? {};
    return Object.entries((inputRequests ?? {}) as Record<string, { params: { message: string } }>)[0];
  };
  const [key = '', { params } = { params: { message: '' } }] =
    (await until(asked, { what: 'the question', ...PATIENCE })) ?? [];
  await answer(client, { taskId, key, result: { action: 'accept', content: { name } } });
  return params.message;
}

describe('a gateway before a server that works at several calls', () => {
  it('[GATE-250] keeps what it logs during a call as events of its task', async () => {
    const site = await openGateway(deaf, { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    await site.open('a');
    const taskId = await begin(client, 'heed', { gate: 'a', words: 'began' });
    expect(await finish(client, taskId)).toEqual({ text: 'a is open' });
    const logs = [];
    for await (const event of site.tasks.watch(taskId)) if (event.type === 'log') logs.push(event);
    expect(logs).toMatchObject([{ level: 'info', message: 'began', data: { level: 'notice', logger: 'deaf' } }]);
  });

  it('[GATE-250] keeps what a server over HTTP logs with the task whose call it is about', async () => {
    const desk = await openKeptHttp('older');
    const site = await openGateway(() => desk.spec, { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    const [a, b] = [await begin(client, 'tell', { gate: 'a' }), await begin(client, 'tell', { gate: 'b' })] as const;
    await desk.untilNoted('tell a');
    await desk.untilNoted('tell b');
    await Promise.all([desk.open('a'), desk.open('b')]);
    await Promise.all([finish(client, a), finish(client, b)]);
    const readLog = async (taskId: string) => {
      const lines = [];
      for await (const event of site.tasks.watch(taskId)) if (event.type === 'log') lines.push(event);
      return lines;
    };
    expect(await readLog(a)).toMatchObject([{ level: 'warning', message: 'about a', data: { data: { gate: 'a' } } }]);
    expect(await readLog(b)).toMatchObject([{ level: 'warning', message: 'about b' }]);
  });

  it('[GATE-251] asks each question of the task whose call it belongs to, over connections of their own', async () => {
    const site = await openGateway((dir) => ({ ...deaf(dir), connections: 2 }), { inlineMs: 0, idleMs: 60_000 });
    const client = await openRawStdio(site, 'modern');
    await site.open('first');
    const first = await begin(client, 'ask', { gate: 'first' });
    expect(await answerWith(client, first, 'Eva')).toBe('Who is first?');
    expect(await finish(client, first)).toEqual({ text: 'first is Eva' });
    const [a, b] = [await begin(client, 'ask', { gate: 'a' }), await begin(client, 'ask', { gate: 'b' })] as const;
    const isBegun = (gate: string) => site.runs().some((line) => line.startsWith(`ask ${gate} `));
    await until(() => isBegun('a') && isBegun('b'), { what: 'both calls', ...PATIENCE });
    // The older call asks first.
    await site.open('a');
    expect(await answerWith(client, a, 'Ada')).toBe('Who is a?');
    await site.open('b');
    expect(await answerWith(client, b, 'Bob')).toBe('Who is b?');
    expect([await finish(client, a), await finish(client, b)]).toEqual([{ text: 'a is Ada' }, { text: 'b is Bob' }]);
    await site.open('c');
    expect(await finish(client, await begin(client, 'heed', { gate: 'c' }))).toEqual({ text: 'c is open' });
    expect(countProcesses(site)).toBe(2);
    process.kill(await site.workerPid());
  });
});

describe('the connections to one upstream', () => {
  const open = (limit: number, failing: readonly string[] = []) => {
    const opened: string[] = [];
    const pool = new ConnectionPool('a', {
      limit,
      open: async (connection) => {
        if (failing.includes(connection)) throw new Error(`no ${connection}`);
        opened.push(connection);
      },
      close: async () => {},
      report: () => {},
    });
    return { pool, opened };
  };

  it('[GATE-252] are one per call up to the limit, and used again', async () => {
    const { pool, opened } = open(2);
    const [first, second, third] = [await pool.take(true), await pool.take(true), await pool.take(true)];
    expect([first, second, third].map(({ connection }) => connection)).toEqual(['a', 'a#2', 'a']);
    second.release();
    expect((await pool.take(true)).connection).toBe('a#2');
    expect((await pool.take(false)).connection).toBe('a');
    expect(new Set(opened).size).toBe(2);
    pool.close();
  });

  it('[GATE-252] are shared where another cannot be opened', async () => {
    const { pool } = open(3, ['a#2']);
    await pool.take(true);
    expect((await pool.take(true)).connection).toBe('a');
    pool.close();
  });
});
