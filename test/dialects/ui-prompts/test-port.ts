import { createFakeClock, type FakeClock } from 'holdfast/testing';
import type { CallUpdate, HostPort, JsonObject, Reply } from '../../../src/dialects/host-port.ts';

export interface TestPort extends HostPort {
  readonly clock: FakeClock;
  readonly requests: readonly { readonly method: string; readonly params: JsonObject }[];
  readonly updates: readonly CallUpdate[];
}

/** A port whose server answers everything the same way, and whose time stands still. */
export function createTestPort(options: { signal?: AbortSignal; reply?: Reply } = {}): TestPort {
  const requests: { method: string; params: JsonObject }[] = [];
  const updates: CallUpdate[] = [];
  const { signal = new AbortController().signal, reply = { kind: 'result', result: { content: [] } } } = options;
  return {
    clock: createFakeClock(),
    signal,
    requests,
    updates,
    async request(method, params) {
      requests.push({ method, params });
      return reply;
    },
    onNotification: () => () => {},
    onConnected: () => () => {},
    server: { era: 'legacy', capabilities: {}, isStdio: true },
    update: (update) => updates.push(update),
    ask: () => Promise.reject(new Error('nobody asks here')),
  };
}
