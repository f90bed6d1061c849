import { describe, expect, it } from 'vitest';
import { Clients } from '../../../src/gateway/mirror/clients.ts';
import type { RelayClient } from '../../../src/server/relay.ts';

const client = (principal: string): RelayClient => ({
  era: 'legacy',
  principal,
  capabilities: { elicitation: {} },
  notify: async () => {},
  request: async () => ({ action: 'accept', content: { by: principal } }),
});
const question = { method: 'elicitation/create', server: 'a', signal: new AbortController().signal } as const;

describe('the clients of a gateway', () => {
  it('[GATE-115] are asked what belongs to no call only while all of them are one principal', async () => {
    const clients = new Clients();
    clients.add(client('a'));
    clients.add(client('a'));
    expect(await clients.answer(question)).toEqual({ action: 'accept', content: { by: 'a' } });
    expect(clients.haveOnePrincipal).toBe(true);
    clients.add(client('b'));
    expect(clients.haveOnePrincipal).toBe(false);
    expect(await clients.answer(question)).toEqual({ action: 'cancel' });
  });
});
