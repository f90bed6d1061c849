/** What the host half of a dialect works with, with a server that is a function and a clock that stands still. */
import { createFakeClock, type FakeClock } from 'holdfast/testing';
import type { CallUpdate, HostPort, JsonObject, Notification, Reply } from '../../src/dialects/host-port.ts';
import type { InputRequest } from '../../src/dialects/shared/questions/mcp-input.ts';

export interface FakePort extends HostPort {
  readonly clock: FakeClock;
  /** Requests so far, without those that only listen. */
  readonly sent: readonly { readonly method: string; readonly params: JsonObject }[];
  readonly updates: readonly CallUpdate[];
  readonly asked: readonly string[];
  tell(notification: Notification): void;
  /** Lets what is under way begin to wait, then time pass. */
  pass(ms: number): Promise<void>;
  reconnect(): void;
  stop(reason?: unknown): void;
}

type Serve = (method: string, params: JsonObject, signal: AbortSignal) => Reply | Promise<Reply>;

export function createFakePort(
  serve: Serve,
  answer: (key: string, request: InputRequest, refusal?: string) => JsonObject = () => ({ action: 'accept' }),
): FakePort {
  const clock = createFakeClock();
  const stopping = new AbortController();
  const sent: { method: string; params: JsonObject }[] = [];
  const updates: CallUpdate[] = [];
  const asked: string[] = [];
  const listeners = new Set<(notification: Notification) => void>();
  const onConnected = new Set<() => void>();
  const add = <T>(set: Set<T>, one: T) => {
    set.add(one);
    return () => void set.delete(one);
  };
  return {
    clock,
    sent,
    updates,
    asked,
    signal: stopping.signal,
    server: { era: 'modern', capabilities: {}, isStdio: true },
    async request(method, params, options) {
      sent.push({ method, params });
      return serve(method, params, options?.signal ?? stopping.signal);
    },
    onNotification: (listener) => add(listeners, listener),
    onConnected: (listener) => add(onConnected, listener),
    update: (update) => void updates.push(update),
    async ask(key, request, refusal) {
      asked.push(key);
      return answer(key, request, refusal);
    },
    tell: (notification) => [...listeners].forEach((listener) => void listener(notification)),
    async pass(ms) {
      await clock.advance(0);
      await clock.advance(ms);
    },
    reconnect: () => [...onConnected].forEach((listener) => void listener()),
    stop: (reason) => stopping.abort(reason),
  };
}

/** A request that is open until it is given up. */
export function untilAborted(signal: AbortSignal): Promise<Reply> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

export const result = (value: JsonObject): Reply => ({ kind: 'result', result: value });
export const error = (code: number, message = 'no'): Reply => ({ kind: 'error', error: { code, message } });
