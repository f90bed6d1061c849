/** What a server asks of the model and of the host, beside what it asks people. */
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import type { CallOutcome, Host, HostOptions, HostQuestion, JsonObject, ServerSpec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp } from '../server/open-http.ts';
import { openDesk, textOf } from './open-host.ts';
import { fetchLegacy } from './servers/reach-legacy.ts';

const SAMPLING = { messages: [{ role: 'user', content: { type: 'text', text: 'Name it' } }], maxTokens: 5 } as const;
const SAID = { role: 'assistant', content: { type: 'text', text: 'Ada' }, model: 'm' };
const ROOTS = { roots: [{ uri: 'file:///home/ada/work' }] };
const ASKS: Pick<HostOptions, 'capabilities'> = { capabilities: { sampling: {}, roots: {} } };
const ERAS = ['2026', '2025'] as const;

const answer = ({ method }: HostQuestion): JsonObject => (method === 'roots/list' ? ROOTS : SAID) as JsonObject;

/** A server of ours with a task that asks for both, in the era it is met in. */
async function openTasks(era: (typeof ERAS)[number]): Promise<ServerSpec> {
  const rig = await openHttp();
  const url = await rig.serve({}, (server) =>
    server.tool('plan', {
      inlineMs: 1,
      async run(_, task) {
        const said = (await task.ask({ key: 'name', sampling: SAMPLING })) as typeof SAID;
        const { roots } = (await task.ask({ key: 'where', roots: true })) as typeof ROOTS;
        return `${said.content.text} in ${roots[0]?.uri}`;
      },
    }),
  );
  return era === '2025' ? { url, fetch: fetchLegacy } : { url };
}

/** A server on version 2 of the SDK whose plain tool asks for both while its call is held. */
function openPlain(era: (typeof ERAS)[number]): ServerSpec {
  const toResult = (name: unknown, uri: unknown) => ({
    content: [{ type: 'text' as const, text: `${name} in ${uri}` }],
  });
  if (era === '2025') {
    const transport = async () => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const mcp = new McpServer({ name: 'plain', version: '1' });
      mcp.registerTool('plan', {}, async (context) => {
        const said = await context.mcpReq.requestSampling({ ...SAMPLING, messages: [...SAMPLING.messages] });
        const { roots } = await mcp.server.listRoots();
        return toResult((said.content as { text?: string }).text, roots[0]?.uri);
      });
      await mcp.connect(far);
      return near;
    };
    return { transport };
  }
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'plain', version: '1' });
    mcp.registerTool('plan', {}, (context) => {
      const said = inputResponse(context.mcpReq.inputResponses, 'name');
      const where = inputResponse(context.mcpReq.inputResponses, 'where');
      if (said.kind === 'sampling' && where.kind === 'roots') {
        return toResult((said.result.content as { text?: string }).text, where.roots[0]?.uri);
      }
      const inputRequests = {
        name: inputRequired.createMessage({ ...SAMPLING, messages: [...SAMPLING.messages] }),
        where: inputRequired.listRoots(),
      };
      return inputRequired({ inputRequests });
    });
    return mcp;
  });
  return { url: 'http://plain.invalid/', fetch: (input, init) => handler.fetch(new Request(input, init)) };
}

const isFailure = (outcome: CallOutcome) => outcome.kind === 'error' || (outcome.kind === 'result' && outcome.isError);

const only = async (host: Host) => {
  const [call, ...others] = await host.resume();
  if (!call || others.length > 0) throw new Error('expected one call');
  return call;
};

describe.each(ERAS)('sampling and roots of %s', (era) => {
  it('[HOST-48] inside a task reach the handler, and what was answered is not asked again after a restart', async () => {
    const desk = await openDesk();
    const spec = await openTasks(era);
    const asked: string[] = [];
    const first = await desk.host({
      ...ASKS,
      onQuestion(question) {
        asked.push(question.method);
        return question.method === 'roots/list' ? new Promise<never>(() => {}) : answer(question);
      },
    });
    await first.connect('plans', spec);
    const { callId } = await first.call('plans', 'plan');
    await until(() => asked.length === 2, { what: 'both questions' });
    await first.close();
    const again: HostQuestion[] = [];
    const second = await desk.host({
      ...ASKS,
      onQuestion(question) {
        again.push(question);
        return answer(question);
      },
    });
    const call = await only(second);
    await second.connect('plans', spec);
    expect(textOf(await call.outcome())).toBe('Ada in file:///home/ada/work');
    expect(asked).toEqual(['sampling/createMessage', 'roots/list']);
    expect(again.map(({ method }) => method)).toEqual(['roots/list']);
    expect(again[0]).toMatchObject({ callId, tool: 'plan', server: 'plans' });
  });

  it('[HOST-48] inside a plain call that is held reach the handler, with the call they belong to', async () => {
    const desk = await openDesk();
    const asked: HostQuestion[] = [];
    const host = await desk.host({
      ...ASKS,
      onQuestion(question) {
        asked.push(question);
        return answer(question);
      },
    });
    await host.connect('plans', openPlain(era));
    const call = await host.call('plans', 'plan');
    expect(textOf(await call.outcome())).toBe('Ada in file:///home/ada/work');
    expect(asked.map(({ method }) => method).sort()).toEqual(['roots/list', 'sampling/createMessage']);
    expect(new Set(asked.map(({ callId }) => callId))).toEqual(new Set([call.callId]));
    expect(asked.find(({ method }) => method === 'sampling/createMessage')?.params).toMatchObject(SAMPLING);
  });

  it('[HOST-49] end a plain call with an error when the host has nobody to answer them', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('plans', openPlain(era));
    expect(isFailure(await (await host.call('plans', 'plan')).outcome())).toBe(true);
  });

  it('[HOST-49] end plain calls and tasks with an error when the handler fails', async () => {
    const desk = await openDesk();
    const host = await desk.host({ ...ASKS, onQuestion: () => Promise.reject(new Error('no model here')) });
    await host.connect('plain', openPlain(era));
    await host.connect('tasks', await openTasks(era));
    const calls = await Promise.all(['plain', 'tasks'].map((server) => host.call(server, 'plan')));
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(isFailure)).toEqual([true, true]);
  });

  it('[HOST-49] stay open in a task that this host cannot answer, for somebody who can', async () => {
    const desk = await openDesk();
    const spec = await openTasks(era);
    const deaf = await desk.host();
    await deaf.connect('plans', spec);
    const call = await deaf.call('plans', 'plan');
    for await (const update of call.updates())
      if (update.type === 'status' && update.status === 'input_required') break;
    await deaf.close();
    const able = await desk.host({ ...ASKS, onQuestion: answer });
    const again = await only(able);
    await able.connect('plans', spec);
    expect(textOf(await again.outcome())).toBe('Ada in file:///home/ada/work');
  });
});

it('[HOST-49] a host without a handler tells a server that asks all the same that it knows no such request', async () => {
  const desk = await openDesk();
  const host = await desk.host();
  const answers: JsonObject[] = [];
  await host.connect('rude', { transport: () => openRude(answers) });
  expect(await (await host.call('rude', 'plan')).outcome()).toMatchObject({ kind: 'result' });
  expect(answers.map(({ code }) => code)).toEqual([-32601, -32601, -32601]);
});

/** A server of the older era, without the SDK: it asks whoever calls, whatever they can do, and keeps their errors. */
function openRude(answers: JsonObject[]): InMemoryTransport {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const send = (message: object) => void far.send({ jsonrpc: '2.0', ...message } as never);
  const ASKED = ['sampling/createMessage', 'roots/list', 'elicitation/create'];
  let callId: unknown;
  const serverInfo = { name: 'rude', version: '1' };
  const methods: Readonly<Record<string, (id: unknown) => void>> = {
    'server/discover': (id) => send({ id, error: { code: -32601, message: 'Method not found' } }),
    initialize: (id) =>
      send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }),
    'tools/list': (id) => send({ id, result: { tools: [] } }),
    'tools/call': (id) => {
      callId = id;
      for (const method of ASKED) send({ id: method, method, params: { ...SAMPLING, message: '?' } });
    },
  };
  far.onmessage = (message) => {
    const { id, method, error } = message as unknown as JsonObject & { error?: JsonObject };
    methods[String(method)]?.(id);
    if (error !== undefined && answers.push(error) === ASKED.length) send({ id: callId, result: { content: [] } });
  };
  return near;
}
