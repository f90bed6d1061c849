/** A gateway before a server that knows nothing of tasks. */
import type { Upstream } from 'holdfast/gateway';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRawStdio, PLAIN_META } from '../../e2e/raw-client.ts';
import { answer, begin, finish, getStatus } from '../../e2e/raw-task.ts';
import { shareRig } from '../../shared-rig.ts';
import { foreign, openGateway } from '../open-gateway.ts';

const handmade = foreign('handmade-server');

const toArgs = (upstream: Upstream) => ('args' in upstream ? (upstream.args ?? []) : []);

describe('a gateway before a server without tasks', () => {
  const getRig = shareRig(async (atEnd) => {
    const site = await openGateway(handmade, {}, { atEnd });
    const modern = await openRawStdio(site, 'modern', { atEnd });
    return { site, modern, legacy: await openRawStdio(site, 'legacy', { atEnd }) };
  });

  // Before the others: a server that was left alone for a while has ended, and counts anew.
  it('[GATE-205] shares one process of its server among all that serve and work', async () => {
    const { site, modern, legacy } = getRig();
    const count = async (client: typeof modern, at: number) => {
      const { result } = await client.request('tools/call', { name: 'count', arguments: { at }, _meta: PLAIN_META });
      const [first] = (result?.content ?? []) as { text: string }[];
      return first?.text;
    };
    expect([await count(modern, 1), await count(legacy, 2)]).toEqual(['1', '2']);
    expect(site.runs().filter((line) => line.startsWith('runs '))).toHaveLength(1);
  });

  it.each(['modern', 'legacy'] as const)(
    '[GATE-200] makes tasks of its calls for a client of the %s era, with its progress',
    async (era) => {
      const { site, [era]: client } = getRig();
      const taskId = await begin(client, 'hold', { gate: era });
      await site.untilNoted(`hold ${era}`);
      const shown = async () => (await client.request('tasks/get', { taskId })).result?.statusMessage;
      await until(async () => (await shown()) === `hold ${era}`, { what: 'the progress', timeoutMs: 60_000 });
      await site.open(era);
      expect(await finish(client, taskId)).toEqual({ text: `${era} is open` });
      expect(site.runs().filter((line) => line === `hold ${era}`)).toHaveLength(1);
    },
  );

  it('[GATE-204] tells of work that says nothing by its time, against the time that it took before', async () => {
    const site = await openGateway(foreign('deaf-server'), { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    const shown = async (taskId: string) =>
      String((await client.request('tasks/get', { taskId })).result?.statusMessage ?? '');
    const first = await begin(client, 'heed', { gate: 'a' });
    const unknown = async () => /^Running for \d+ s$/.test(await shown(first));
    await until(unknown, { what: 'its time', timeoutMs: 60_000 });
    await site.open('a');
    await finish(client, first);
    const second = await begin(client, 'heed', { gate: 'b' });
    const known = async () => /^Running for \d+ s of about \d+ s$/.test(await shown(second));
    await until(known, { what: 'its time and the estimate', timeoutMs: 60_000 });
    await site.open('b');
    await finish(client, second);
  });

  it('[GATE-201] asks what the server asks in the middle of a call as a question of its task', async () => {
    const { site, modern: client } = getRig();
    await site.open('b');
    const taskId = await begin(client, 'ask', { gate: 'b' });
    await until(async () => (await getStatus(client, taskId)) === 'input_required', { timeoutMs: 60_000 });
    const { inputRequests } = (await client.request('tasks/get', { taskId })).result as {
      inputRequests: Record<string, { params: object }>;
    };
    const [key = ''] = Object.keys(inputRequests);
    expect(inputRequests[key]?.params).toMatchObject({ message: 'Who is b?' });
    await answer(client, { taskId, key, result: { action: 'accept', content: { name: 'Ada' } } });
    expect(await finish(client, taskId)).toEqual({ text: 'b is Ada' });
  });

  it('[GATE-202] brings a cancel to the server', async () => {
    const { site, modern: client } = getRig();
    const taskId = await begin(client, 'hold', { gate: 'c' });
    await site.untilNoted('hold c');
    expect(site.runs()).not.toContain('told notifications/cancelled');
    await client.request('tasks/cancel', { taskId });
    await site.untilNoted('told notifications/cancelled');
    expect(await getStatus(client, taskId)).toBe('cancelled');
  });

  it('[GATE-107] lets a worker that runs already do the work of a tool that came later', async () => {
    const program = foreign('unruly-server');
    const site = await openGateway(
      (dir) => ({ ...program(dir), args: [...toArgs(program(dir)).slice(0, 1), 'changes'] }),
      {
        idleMs: 60_000,
      },
    );
    const client = await openRawStdio(site, 'legacy');
    const call = async (name: string) =>
      JSON.stringify((await client.request('tools/call', { name, arguments: {} })).result?.content);
    expect(await call('do-changes')).toContain('do-changes by');
    const worker = await site.workerPid();
    await until(() => client.others.some(({ method }) => method === 'notifications/tools/list_changed'));
    expect(await call('do-new')).toContain('do-new by');
    expect(await site.workerPid()).toBe(worker);
    process.kill(worker);
  });

  it('[GATE-116] listens to a server that tells nothing to others, and passes its news on', async () => {
    const site = await openGateway(foreign('modern-server'));
    const client = await openRawStdio(site, 'legacy');
    await client.request('resources/subscribe', { uri: 'made://one' });
    await client.request('tools/call', { name: 'change', arguments: {} });
    const heard = () => client.others.map(({ method }) => method);
    await until(() => heard().includes('notifications/resources/updated'), { timeoutMs: 60_000 });
    await until(() => heard().includes('notifications/tools/list_changed'), { timeoutMs: 60_000 });
    const { tools } = (await client.request('tools/list')).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('later');
  });

  it('[GATE-203] ends no work when its client goes, and gives the result to the next one', async () => {
    const { site } = getRig();
    const first = await openRawStdio(site, 'modern');
    const taskId = await begin(first, 'hold', { gate: 'd' });
    await site.untilNoted('hold d');
    await first.kill();
    await site.open('d');
    const second = await openRawStdio(site, 'modern');
    expect(await finish(second, taskId)).toEqual({ text: 'd is open' });
    expect(site.runs().filter((line) => line === 'hold d')).toHaveLength(1);
  });
});
