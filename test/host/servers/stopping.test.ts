/** The ways to stop, in every dialect: those that only stop the waiting, and the one that stops the work. */
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import type { Call, CallOptions, Host, JsonObject, ServerSpec } from 'holdfast/host';
import { createFakeClock, until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openHttp } from '../../server/open-http.ts';
import { type Desk, openDesk, textOf } from '../open-host.ts';
import { fetchLegacy } from './reach-legacy.ts';

const DIALECTS = ['plain', 'tasks-2026', 'tasks-2025', 'job', 'ui-prompts'] as const;
type Dialect = (typeof DIALECTS)[number];

const input = z.object({ gate: z.string() });
const ASYNC_TASK = { asyncTask: { tools: ['hold'], taskIdKey: 'taskId', resultSource: 'ui_prompts' } };

/** Work that goes on until its gate is opened or it is stopped. */
class Works {
  readonly begun = new Set<string>();
  readonly stopped = new Set<string>();
  readonly ended = new Set<string>();
  /** Cancels that were sent, in any form. */
  readonly cancels: string[] = [];
  readonly #open = new Set<string>();
  readonly #calls = new Set<unknown>();

  async hold(gate: string, signal: AbortSignal): Promise<string> {
    this.begun.add(gate);
    await until(() => this.#open.has(gate) || signal.aborted, { what: `gate ${gate}`, timeoutMs: 100_000 });
    if (signal.aborted) this.stopped.add(gate);
    signal.throwIfAborted();
    this.ended.add(gate);
    return `${gate} is open`;
  }

  open(...gates: string[]): void {
    for (const gate of gates) this.#open.add(gate);
  }

  /** That somebody waits no longer for `tasks/result` cancels no work. */
  see(body: string): void {
    const { id, method, params } = JSON.parse(body || '{}') as JsonObject & { params?: JsonObject };
    if (method === 'tools/call') this.#calls.add(id);
    const isOfCall = method === 'notifications/cancelled' && this.#calls.has(params?.requestId);
    if (isOfCall || method === 'tasks/cancel' || params?.name === 'task_cancel') this.cancels.push(String(method));
  }
}

async function openWorks(dialect: Dialect, desk: Desk): Promise<{ works: Works; spec: ServerSpec }> {
  const works = new Works();
  onTestFinished(() => works.open(...works.begun));
  if (dialect === 'plain') return { works, spec: { transport: () => openPlain(works) } };
  const rig = await openHttp();
  const url = await rig.serve({ promptRoots: [desk.dir], asyncTask: { optional: 'asked' } }, (server) =>
    server.tool('hold', { input, inlineMs: 1, run: ({ gate }, task) => works.hold(gate, task.signal) }),
  );
  const watching: typeof fetch = (target, init) => {
    works.see(String(init?.body ?? ''));
    return (dialect === 'tasks-2025' ? fetchLegacy : fetch)(target, init);
  };
  return { works, spec: { url, fetch: watching, ...(dialect === 'ui-prompts' && { callMeta: ASYNC_TASK }) } };
}

async function openPlain(works: Works) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const mcp = new McpServer({ name: 'plain', version: '1' });
  mcp.registerTool('hold', { inputSchema: input }, async ({ gate }, { mcpReq }) => {
    const text = await works.hold(gate, mcpReq.signal);
    return { content: [{ type: 'text', text }] };
  });
  await mcp.connect(far);
  const send = near.send.bind(near);
  near.send = (message: JSONRPCMessage, options) => {
    works.see(JSON.stringify(message));
    return send(message, options);
  };
  return near;
}

async function begin(host: Host, { dialect, works }: { dialect: Dialect; works: Works }, options: CallOptions[]) {
  const meta = dialect === 'job' ? { meta: { 'holdfast/job': true } } : {};
  const calls: Call[] = [];
  for (const [index, one] of options.entries()) {
    calls.push(await host.call('works', 'hold', { gate: `g${index}` }, { ...meta, ...one }));
  }
  await until(() => works.begun.size === options.length, { what: 'the work to begin' });
  // A plain call is with the server until it ends.
  if (dialect !== 'plain') await Promise.all(calls.map((call) => call.sent()));
  return calls as [Call, Call, Call];
}

describe.each(DIALECTS)('a call of the dialect %s', (dialect) => {
  it('[HOST-51] is not cancelled by maxWaitMs, by detaching, nor by closing the host', async () => {
    const desk = await openDesk();
    const { works, spec } = await openWorks(dialect, desk);
    const clock = createFakeClock();
    const host = await desk.host({ clock });
    await host.connect('works', spec);
    const [timed, left, kept] = await begin(host, { dialect, works }, [{ maxWaitMs: 1000 }, {}, {}]);
    expect((await host.calls())[0]?.handle?.dialect ?? 'plain').toBe(dialect);
    left.detach();
    await expect(left.outcome()).rejects.toMatchObject({ code: 'DETACHED' });
    await clock.advance(1000);
    expect(await timed.outcome()).toMatchObject({ kind: 'timed-out' });
    expect(works.stopped.size).toBe(0);
    await host.close();
    await expect(kept.outcome()).rejects.toMatchObject({ code: 'DETACHED' });
    expect(works.cancels).toEqual([]);
    // What a server of somebody else's does when its connection ends is its own affair.
    if (dialect === 'plain') return;
    works.open('g0', 'g1', 'g2');
    await until(() => works.ended.size === 3, { what: 'the work to end' });
    const next = await desk.host();
    await next.connect('works', spec);
    const outcomes = await Promise.all((await next.resume()).map((call) => call.outcome()));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['timed-out', 'result', 'result']);
    expect(outcomes.slice(1).map(textOf)).toEqual(['g1 is open', 'g2 is open']);
  });

  it('[HOST-52] is stopped by an abort, with its work, after the server has taken it', async () => {
    const desk = await openDesk();
    const { works, spec } = await openWorks(dialect, desk);
    const clock = createFakeClock();
    const host = await desk.host({ clock });
    await host.connect('works', spec);
    const stop = new AbortController();
    const [call] = await begin(host, { dialect, works }, [{ signal: stop.signal }]);
    stop.abort(new Error('enough'));
    expect(await call.outcome()).toEqual({ kind: 'cancelled', reason: 'enough' });
    await until(() => works.stopped.has('g0'), { what: 'the work to stop' });
    expect(works.cancels.length).toBeGreaterThan(0);
    // A server that says nothing after a cancel is given a moment for what it has on the way.
    await clock.advance(10_000);
  });
});
