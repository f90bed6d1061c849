/** The client of SDK 1.x, which Gemini and Qwen have in them, on connections that are cut. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Cut, openCuttingProxy } from '../cutting-proxy.ts';
import { openLines } from '../open-line.ts';

const STEPS = { name: 'steps', arguments: {} };
const HTTP = { retryMs: 10, firstCommentMs: 50, keepAliveMs: 50 };
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

async function connect(url: string, options: StreamableHTTPClientTransportOptions = {}): Promise<Client> {
  const client = new Client({ name: 'raw', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options) as never);
  onTestFinished(() => client.close());
  return client;
}

/** @param plan how its connections are cut, one after the other */
async function open(plan: Cut[] = []) {
  const lines = await openLines();
  const url = await lines.serve({ http: HTTP });
  const proxy = await openCuttingProxy(url, () => plan.shift() ?? 'pass');
  const client = await connect(proxy.url);
  const heard: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
  const progress: number[] = [];
  const onprogress = (told: { progress: number }) => void progress.push(told.progress);
  const call = () => client.callTool(STEPS, undefined, { onprogress });
  return { ...lines, url, proxy, client, call, heard, progress };
}

const CUTS: readonly (readonly [string, Cut[]])[] = [
  ['after its first event', [/retry: \d+\ndata:\n\n/]],
  ['in the middle of an event', [/"data":"step 1"/]],
  ['between events', [/"data":"step 2".*?\n\n/s]],
  ['right before the answer', [/^.*(?=event: message\ndata: \{[^\n]*"result")/s]],
  ['in the middle of the answer', [/"text":"a step/]],
  ['again and again', [/retry: \d+\ndata:\n\n/, /retry: \d+\ndata:\n\n/, /"data":"step 1"/, /"data":"step 3"/]],
];

describe('SDK 1.32', () => {
  it.each(CUTS)(
    '[HOSTS-263] gets its answer, every step once and progress that rises when its stream is cut %s',
    async (_, plan) => {
      const wanted = plan.length;
      const { call, step, proxy, heard, progress, runs, rig } = await open(plan);
      const calling = call();
      for (const n of [1, 2, 3]) {
        step(n);
        await until(() => heard.length >= n, { what: `step ${n} to be heard`, timeoutMs: 60_000 });
      }
      step(4);
      expect(await calling).toEqual(text('a stepped'));
      expect(proxy.cuts()).toBe(wanted);
      expect(heard).toEqual(['step 1', 'step 2', 'step 3']);
      expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
      expect(runs).toEqual(['a']);
      await until(async () => (await rig.holds()).length === 0, { what: 'the answer to count as read' });
    },
  );

  it('[HOSTS-263] gets its answer too when it speaks 2025-06-18, as in Gemini', async () => {
    const { call, step, proxy, runs, client } = await open([/event: cursor\ndata: \{\}\n\n/, /"data":"step 2"/]);
    client.transport?.setProtocolVersion?.('2025-06-18');
    const errors: Error[] = [];
    client.onerror = (error) => void errors.push(error);
    step(4);
    expect(await call()).toEqual(text('a stepped'));
    expect(proxy.cuts()).toBe(2);
    expect(runs).toEqual(['a']);
    // It hears of the cuts, and of nothing that it could not read.
    expect(errors.filter(({ message }) => !message.includes('SSE stream disconnected'))).toEqual([]);
  });

  it('[HOSTS-263] fails at once when the cut comes before the first byte, and the same call joins the work', async () => {
    const { call, step, runs } = await open(['early']);
    await expect(call()).rejects.toThrow();
    step(4);
    // What follows says that it is the result of the call before.
    expect(((await call()) as ReturnType<typeof text>).content[0]).toEqual(text('a stepped').content[0]);
    expect(runs).toEqual(['a']);
  });

  it('[HOSTS-264] comes back once for a call that ended as an error, hears that there is no more, and leaves it at that', async () => {
    const { rig, url } = await open();
    const resumed: number[] = [];
    const watching: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (new Headers(init?.headers).has('last-event-id')) resumed.push(response.status);
      return response;
    };
    const client = await connect(url, { fetch: watching as never });
    const failing = expect(client.callTool(STEPS)).rejects.toThrow('Cancelled: by hand');
    const taskId = await rig.onlyTask();
    await rig.tasks.cancel(taskId, { principal: 'local', reason: 'by hand' });
    await failing;
    await until(() => resumed.length > 0, { what: 'the client to come back', timeoutMs: 60_000 });
    await client.listTools();
    expect(resumed).toEqual([405]);
  });
});
