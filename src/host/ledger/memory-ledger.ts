import { type Clock, systemClock } from '../../clock.ts';
import type { JsonObject } from '../../dialects/host-port.ts';
import type { CallRecord, Ledger } from './contract.ts';

/** Creates a ledger that ends with this process: for tests, and for calls that may be lost. */
export function createMemoryLedger({ clock = systemClock }: { readonly clock?: Clock } = {}): Ledger {
  const calls = new Map<string, CallRecord>();
  const answers = new Map<string, JsonObject>();
  const toName = (callId: string, key: string) => JSON.stringify([callId, key]);

  /** Changes a call if it passes the check. */
  const change = (callId: string, check: (call: CallRecord) => boolean, part: Partial<CallRecord>): boolean => {
    const call = calls.get(callId);
    if (!call || !check(call)) return false;
    calls.set(callId, { ...call, ...structuredClone(part) });
    return true;
  };

  return {
    async create(call) {
      const { callId, key } = call;
      const taken = key === undefined ? undefined : [...calls.values()].find((one) => one.key === key);
      if (!taken) calls.set(callId, structuredClone(call));
      return taken?.callId;
    },
    setHandle: async (callId, handle) => change(callId, (call) => !call.outcome, { handle }),
    adopt: async (callId, { from, to }) =>
      change(callId, (call) => !call.outcome && call.owner === from, { owner: to }),
    settle: async (callId, outcome) => change(callId, (call) => !call.outcome, { outcome, endedAt: clock.now() }),
    ack: async (callId) =>
      change(callId, (call) => call.outcome !== undefined && call.ackedAt === undefined, { ackedAt: clock.now() }),
    async answer(callId, key, answer) {
      const name = toName(callId, key);
      const kept = answers.get(name) ?? structuredClone(answer);
      answers.set(name, kept);
      return kept;
    },
    findAnswer: async (callId, key) => answers.get(toName(callId, key)),
    answers: async (callId) =>
      [...answers]
        .map(([name, answer]) => ({ name: JSON.parse(name) as [string, string], answer }))
        .filter(({ name: [of] }) => of === callId)
        .map(({ name: [, key], answer }) => ({ key, answer }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    get: async (callId) => calls.get(callId),
    async list({ server, sessionId, unacked = false, limit = 1000 } = {}) {
      const passes = (call: CallRecord) =>
        (server === undefined || call.server === server) &&
        (sessionId === undefined || call.sessionId === sessionId) &&
        !(unacked && call.ackedAt !== undefined);
      return [...calls.values()].filter(passes).slice(0, limit);
    },
    async sweep(ackedBefore) {
      const old = [...calls.values()].filter(({ ackedAt }) => ackedAt !== undefined && ackedAt <= ackedBefore);
      for (const { callId } of old) {
        calls.delete(callId);
        for (const name of answers.keys()) if (name.startsWith(`[${JSON.stringify(callId)},`)) answers.delete(name);
      }
      return old.length;
    },
    close: async () => {},
  };
}
