/** The line of a held call as a raw client reads it: each event with its id, and the way back to it. */
import type { HoldfastServer, ServerOptions } from 'holdfast';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type HttpRig, type Message, openHttp, post, readFrames } from './open-http.ts';

export interface LineEvent {
  readonly id?: string;
  readonly retry?: number;
  readonly name?: string;
  readonly data?: string;
  readonly message?: Message;
}

export interface Line {
  readonly status: number;
  /** The next event; comments are skipped. */
  next(): Promise<LineEvent>;
  /** The next event that carries a message. */
  message(): Promise<LineEvent & { readonly message: Message }>;
  /** All that comes until the end. */
  rest(): Promise<LineEvent[]>;
  /** Cuts the connection. */
  cut(): Promise<void>;
}

export type Headers = Record<string, string>;

export interface LineCall {
  readonly id?: string | number;
  readonly args?: object;
  readonly meta?: object;
}

/** Calls a tool; its answer as it comes. */
export async function callOnLine(url: string, headers: Headers, call: LineCall & { name: string }): Promise<Line> {
  const { id = 7, name, args = {}, meta = { progressToken: 'p' } } = call;
  const params = { name, arguments: args, _meta: meta };
  return askOnLine(url, headers, { jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** Sends a request; its answer as it comes. */
export async function askOnLine(url: string, headers: Headers, body: object): Promise<Line> {
  const cutter = new AbortController();
  return toLine(await post(url, { body, headers, signal: cutter.signal }), cutter);
}

/** Comes back for what follows on an event. */
export async function resumeStream(url: string, headers: Headers, eventId: string | undefined): Promise<Line> {
  const cutter = new AbortController();
  const wanted = { accept: 'text/event-stream', 'last-event-id': eventId ?? '' };
  const response = await fetch(url, { headers: { ...headers, ...wanted }, signal: cutter.signal });
  if (response.ok) return toLine(response, cutter);
  await response.text();
  return { ...NOTHING, status: response.status };
}

const none = () => Promise.reject(new Error('there is no stream'));
const NOTHING = { next: none, message: none, rest: none, cut: none };

function toLine(response: Response, cutter: AbortController): Line {
  const frames = readFrames(response);
  onTestFinished(() => cutter.abort());
  const next = async (): Promise<LineEvent> => {
    for (;;) {
      const frame = await frames.frame();
      if (!frame.startsWith(':')) return toEvent(frame);
    }
  };
  return {
    status: response.status,
    next,
    async message() {
      for (;;) {
        const event = await next();
        if (event.message) return { ...event, message: event.message };
      }
    },
    async rest() {
      const all: LineEvent[] = [];
      try {
        for (;;) all.push(await next());
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'the stream has ended') throw error;
        return all;
      }
    },
    async cut() {
      cutter.abort();
      await frames.cancel().catch(() => {});
    },
  };
}

function toEvent(frame: string): LineEvent {
  const read = (field: string) => new RegExp(`^${field}: ?(.*)$`, 'm').exec(frame)?.[1];
  const [id, retry, name, data] = ['id', 'retry', 'event', 'data'].map(read);
  return {
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry: Number(retry) }),
    ...(name !== undefined && { name }),
    ...(data !== undefined && { data }),
    ...(data?.startsWith('{"') && { message: JSON.parse(data) as Message }),
  };
}

/** What a step of the tool looks like to a client. */
export const toSteps = (events: readonly LineEvent[]): unknown[] =>
  events.flatMap(({ message }) => (message?.method === 'notifications/message' ? [message.params?.data] : []));

export interface LineRig {
  readonly rig: HttpRig;
  readonly runs: string[];
  /** Starts a server with a tool that logs one step for each gate that is opened, then returns. */
  serve(options?: Partial<ServerOptions>): Promise<string>;
  /** Lets the tool take steps up to this one; beyond the third it returns. */
  step(to: number): void;
}

export async function openLines(): Promise<LineRig> {
  const rig = await openHttp();
  const runs: string[] = [];
  let reached = 0;
  const prepare = (server: HoldfastServer) => {
    server.tool('steps', {
      input: z.object({ of: z.string().default('a') }),
      async run({ of }, task) {
        runs.push(of);
        for (const n of [1, 2, 3, 4]) {
          await until(() => reached >= n || task.signal.aborted, { what: `step ${n}`, timeoutMs: 60_000 });
          if (n === 4) break;
          await task.log('info', `step ${n}`);
          await task.progress(n / 4);
        }
        return `${of} stepped`;
      },
    });
  };
  return {
    rig,
    runs,
    serve: (options = {}) => rig.serve({ profiles: { raw: { giveUpMs: null } }, ...options }, prepare),
    step(to) {
      reached = to;
    },
  };
}
