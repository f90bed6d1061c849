/** One principal of a shared server tries to take what belongs to the others. */
import type { HoldfastServer } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate } from '../engine/open-rig.ts';
import { type HttpRig, openHttp, openSession, post, postModern, readFrames, readJson } from '../server/open-http.ts';

const as = (name: string) => ({ authorization: `Bearer ${name}` });
const toPrincipal = (name: string) => `["https://id.example","${name}"]`;

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

/** A tool that runs until it is let go, as a flood of long tasks would. */
function addLong(server: HoldfastServer, gate: { readonly opened: Promise<void> }, concurrency?: number): void {
  server.tool('long', { inlineMs: 1, ...(concurrency && { concurrency }), run: () => gate.opened.then(() => 'done') });
}

const call = (name: string, args: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args },
  tasks: true,
});

async function flood(url: string, count: number, name = 'long'): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { error } = await readJson(await postModern(url, { ...call(name), headers: as('mallory') }));
    expect(error).toBeUndefined();
  }
}

const countWorking = async (rig: HttpRig, who: string) =>
  (await rig.tasks.list({ status: 'working', limit: 1000 }, { principal: toPrincipal(who) })).tasks.length;

describe('a principal that floods a shared server', () => {
  it('[SEC-400] holds three quarters of the slots at most, and another one starts at once', async () => {
    const rig = await openHttp();
    const gate = createGate();
    const url = await rig.serve({ verify, concurrency: 8 }, (server) => addLong(server, gate));
    await flood(url, 30);
    await until(async () => (await countWorking(rig, 'mallory')) === 6, { what: 'six of eight slots' });
    for (let n = 0; n < 3; n++) {
      const { result } = await readJson(await postModern(url, { ...call('add', { a: n, b: 1 }), headers: as('ada') }));
      const taskId = String(result?.taskId ?? '');
      if (taskId) await rig.tasks.outcome(taskId, { principal: toPrincipal('ada') });
      else expect(result?.content).toEqual([{ type: 'text', text: String(n + 1) }]);
    }
    expect(await countWorking(rig, 'mallory')).toBe(6);
    gate.open();
    await until(async () => (await countWorking(rig, 'mallory')) === 0, {
      timeoutMs: 60_000,
      what: 'the flood to pass',
    });
  });

  it('[SEC-400] leaves a slot of a tool that has few of its own', async () => {
    const rig = await openHttp();
    const gate = createGate();
    const url = await rig.serve({ verify, concurrency: 16 }, (server) => addLong(server, gate, 2));
    await flood(url, 5);
    await until(async () => (await countWorking(rig, 'mallory')) === 1, { what: 'one of two slots' });
    await postModern(url, { ...call('long'), headers: as('ada') });
    await until(async () => (await countWorking(rig, 'ada')) === 1, { what: 'the other slot' });
    expect(await countWorking(rig, 'mallory')).toBe(1);
    gate.open();
  });

  it('[SEC-401] is refused beyond its share with -32029, in every form, and others are not', async () => {
    const rig = await openHttp();
    const gate = createGate();
    const limits = { perPrincipal: { queued: 1, running: 1 } };
    const url = await rig.serve({ verify, limits }, (server) => addLong(server, gate));
    await flood(url, 1);
    await until(async () => (await countWorking(rig, 'mallory')) === 1, { what: 'one that runs' });
    await flood(url, 1);
    const refusal = {
      code: -32029,
      message: expect.stringContaining('at most 1'),
      data: { code: 'QUOTA_EXCEEDED', limit: 'queued', max: 1, used: 1, retryAfterMs: expect.any(Number) },
    };
    for (const tasks of [true, false]) {
      const response = await postModern(url, { ...call('long'), tasks, headers: as('mallory') });
      const answer = tasks ? await readJson(response) : await readEither(response);
      expect(answer.error).toEqual(refusal);
    }
    const headers = await openSession(url, { headers: as('mallory') });
    const legacy = async (params: object) => {
      const body = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'long', arguments: {}, ...params } };
      return readEither(await post(url, { body, headers }));
    };
    for (const params of [{ task: {} }, { _meta: { 'holdfast/job': true } }, {}]) {
      expect((await legacy(params)).error).toEqual(refusal);
    }
    const { result } = await readJson(await postModern(url, { ...call('long'), headers: as('ada') }));
    expect(result?.taskId).toEqual(expect.any(String));
    gate.open();
  });

  it('[SEC-402] cannot fill the disk: what its tasks store is counted, and more is refused until it expires', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, limits: { perPrincipal: { storedBytes: 20_000 } } }, (server) =>
      server.tool('big', { inlineMs: 10_000, run: () => 'x'.repeat(9000) }),
    );
    const answers: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const { error } = await readEither(await postModern(url, { ...call('big'), headers: as('mallory') }));
      answers.push(error?.data);
    }
    expect(answers).toEqual([
      undefined,
      undefined,
      expect.objectContaining({ limit: 'storedBytes', max: 20_000, retryAfterMs: expect.any(Number) }),
    ]);
    const { error } = await readEither(await postModern(url, { ...call('big'), headers: as('ada') }));
    expect(error).toBeUndefined();
  });

  it('[SEC-403] cannot ask for a life without end: it is given the longest there is, and told so', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify, limits: { maxTtlMs: 7_200_000 } });
    const headers = await openSession(url, { headers: as('mallory') });
    for (const ttl of [31_536_000_000, null]) {
      const params = { name: 'add', arguments: { a: 1, b: 2 }, task: { ttl } };
      const body = { jsonrpc: '2.0', id: 5, method: 'tools/call', params };
      const { result } = await readEither(await post(url, { body, headers }));
      expect(result?.task).toMatchObject({ ttl: 7_200_000 });
    }
  });

  it('[SEC-403] gets a week when nothing else was said, and what it asks for below that', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ verify });
    const headers = await openSession(url, { headers: as('mallory') });
    for (const [ttl, granted] of [
      [null, 604_800_000],
      [60_000, 60_000],
    ] as const) {
      const params = { name: 'add', arguments: { a: 1, b: 2 }, task: { ttl } };
      const { result } = await readEither(
        await post(url, { body: { jsonrpc: '2.0', id: 5, method: 'tools/call', params }, headers }),
      );
      const { taskId } = (result?.task ?? {}) as { taskId?: string };
      const { ttlMs } = await rig.tasks.get(taskId ?? '', { principal: toPrincipal('mallory') });
      expect(ttlMs).toBe(granted);
    }
  });
});

/** An answer that comes as JSON or as the last frame of a stream. */
async function readEither(response: Response) {
  if (response.headers.get('content-type')?.startsWith('application/json')) return readJson(response);
  const frames = readFrames(response);
  for (;;) {
    const message = await frames.message();
    if (message.id !== undefined && message.method === undefined) return message;
  }
}
