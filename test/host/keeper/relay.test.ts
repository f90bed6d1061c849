import { describe, expect, it } from 'vitest';
import type { KeeperControl } from '../../../src/host/keeper/frames.ts';
import type { WriteResult } from '../../../src/host/keeper/relay/answer-writes.ts';
import { Relay } from '../../../src/host/keeper/relay/relay.ts';
import type { RelayClient } from '../../../src/host/keeper/relay/relay-client.ts';

interface Seen extends RelayClient {
  readonly messages: unknown[];
  readonly words: KeeperControl[];
}

function openRelay(...results: WriteResult[]) {
  const sent: Record<string, unknown>[] = [];
  const writes: string[] = [];
  const relay = new Relay({
    toServer: (line) => void sent.push(JSON.parse(line)),
    answerServer: (line) => void sent.push(JSON.parse(line)),
    async write({ callId }) {
      writes.push(callId);
      return results.shift() ?? 'outcome';
    },
    endServer: () => void sent.push({ method: 'end' }),
    onChange: () => {},
  });
  const attach = (): Seen => {
    const messages: unknown[] = [];
    const words: KeeperControl[] = [];
    const client = {
      messages,
      words,
      sendMessage: (line: string) => void messages.push(JSON.parse(line)),
      sendControl: (control: KeeperControl) => void words.push(control),
    };
    relay.attach(client);
    return client;
  };
  const say = (client: RelayClient, message: object) => relay.fromHost(client, JSON.stringify(message));
  const tell = (message: object) => relay.fromServer(JSON.stringify(message));
  const call = (client: RelayClient, id: number, callId: string) => {
    relay.controlFromHost(client, { word: 'keep', id, call: { callId } });
    say(client, { id, method: 'tools/call', params: { _meta: { progressToken: callId } } });
  };
  return { relay, sent, writes, attach, say, tell, call };
}

const join = (callId: string) => ({ word: 'join', callId, wantsAnswer: true }) as const;

describe('a keeper between a server and its hosts', () => {
  it('[HOST-53] ends the server for a call only when no other is open, whoever made it', () => {
    const { relay, attach, say, sent, call } = openRelay();
    const [a, b] = [attach(), attach()];
    call(a, 1, 'one');
    call(b, 2, 'two');
    say(b, { id: 3, method: 'subscriptions/listen' });
    relay.controlFromHost(a, { word: 'end', callId: 'one' });
    expect(a.words).toEqual([{ word: 'busy', callId: 'one' }]);
    say(b, { method: 'notifications/cancelled', params: { requestId: 2 } });
    relay.controlFromHost(b, { word: 'done', callId: 'two' });
    relay.controlFromHost(a, { word: 'end', callId: 'one' });
    expect(sent.at(-1)).toEqual({ method: 'end' });
  });

  it('[FIRST-140] keeps the requests of hosts apart that use the same ids and tokens', () => {
    const { attach, say, tell, sent } = openRelay();
    const [a, b] = [attach(), attach()];
    const params = { _meta: { progressToken: 1 } };
    say(a, { id: 7, method: 'x/slow', params });
    say(b, { id: 7, method: 'x/slow', params });
    expect(sent[0]).toMatchObject({ id: 7, params });
    const [, other] = sent as { id: number; params: { _meta: { progressToken: string } } }[];
    expect(other?.id).not.toBe(7);
    tell({
      method: 'notifications/progress',
      params: { progressToken: other?.params._meta.progressToken, progress: 1 },
    });
    tell({ id: other?.id, result: { of: 'b' } });
    tell({ id: 7, result: { of: 'a' } });
    expect(a.messages).toEqual([{ id: 7, result: { of: 'a' } }]);
    expect(b.messages).toMatchObject([{ params: { progressToken: 1 } }, { id: 7, result: { of: 'b' } }]);
  });

  it('[FIRST-140] shakes hands once, and gives every host the same answer', () => {
    const { attach, say, tell, sent } = openRelay();
    const [a, b, c] = [attach(), attach(), attach()];
    say(a, { id: 0, method: 'initialize', params: {} });
    say(b, { id: 5, method: 'initialize', params: {} });
    tell({ id: 0, result: { protocolVersion: '2025-11-25' } });
    for (const one of [a, b]) say(one, { method: 'notifications/initialized' });
    say(c, { id: 0, method: 'server/discover' });
    say(c, { id: 1, method: 'initialize', params: {} });
    expect(sent.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized']);
    expect(b.messages).toEqual([{ jsonrpc: '2.0', id: 5, result: { protocolVersion: '2025-11-25' } }]);
    expect(c.messages).toMatchObject([
      { id: 0, error: { code: -32601 } },
      { id: 1, result: {} },
    ]);
  });

  it('[FIRST-141] puts a question to the host whose call is under way, and takes the answer from no other', () => {
    const { attach, call, say, tell, sent } = openRelay();
    const [a, b] = [attach(), attach()];
    call(b, 1, 'one');
    tell({ id: 'q', method: 'elicitation/create', params: {} });
    expect([a.messages, b.messages.length]).toEqual([[], 1]);
    say(a, { id: 'q', result: { action: 'decline' } });
    say(b, { id: 'q', result: { action: 'accept' } });
    expect(sent.slice(1)).toEqual([{ id: 'q', result: { action: 'accept' } }]);
  });

  it('[FIRST-142] gives whoever joins a call what was told of it, what was asked, and the answer, in this order', () => {
    const { relay, attach, call, tell } = openRelay();
    const a = attach();
    call(a, 1, 'one');
    tell({ method: 'notifications/x', params: { n: 1 } });
    relay.detach(a);
    tell({ method: 'notifications/x', params: { n: 2 } });
    tell({ id: 'q', method: 'elicitation/create', params: {} });
    const b = attach();
    relay.controlFromHost(b, join('one'));
    tell({ id: 1, result: {} });
    expect(b.words).toEqual([{ word: 'kept', callId: 'one', id: 1, isWhole: true }]);
    expect(b.messages).toMatchObject([{ params: { n: 1 } }, { params: { n: 2 } }, { id: 'q' }, { id: 1, result: {} }]);
  });

  it('[FIRST-136] tells each call of a host again what came before it joined, and everybody what came before the host', () => {
    const { relay, attach, call, tell } = openRelay();
    const a = attach();
    call(a, 1, 'one');
    call(a, 2, 'two');
    relay.detach(a);
    tell({ method: 'x/told', params: { n: 1 } });
    const b = attach();
    tell({ method: 'x/told', params: { n: 2 } });
    tell({ method: 'notifications/progress', params: { progressToken: 'two', progress: 1 } });
    const kept = { word: 'kept', isWhole: true } as const;
    relay.controlFromHost(b, join('one'));
    expect(b.words).toEqual([
      { ...kept, callId: 'one', id: 1 },
      { word: 'again', callId: 'one' },
    ]);
    expect(b.messages).toMatchObject([2, 1, 2].map((n) => ({ params: { n } })));
    const again = { word: 'again', callId: 'two' };
    relay.controlFromHost(b, join('two'));
    // Of its own progress the host has heard nothing.
    expect(b.words.slice(2)).toEqual([{ ...kept, callId: 'two', id: 2 }, again, again]);
    expect(b.messages.slice(3)).toMatchObject([
      { params: { n: 1 } },
      { params: { n: 2 } },
      { params: { progress: 1 } },
    ]);
    relay.controlFromHost(b, join('two'));
    expect(b.words.slice(5)).toEqual([{ ...kept, callId: 'two', id: 2 }]);
    expect(b.messages).toHaveLength(6);
  });

  it('[FIRST-142] says of a call that it never had that it is not known, and of one that is over that it is written', async () => {
    const { relay, attach, call, tell, writes } = openRelay();
    const a = attach();
    call(a, 1, 'one');
    relay.detach(a);
    tell({ id: 1, result: {} });
    const b = attach();
    // It is being written just now.
    relay.controlFromHost(b, join('one'));
    relay.controlFromHost(b, join('two'));
    await relay.whenWritten();
    await Promise.resolve();
    expect(writes).toEqual(['one']);
    expect(b.words).toEqual([
      { word: 'unknown', callId: 'two' },
      { word: 'written', callId: 'one' },
    ]);
  });

  it('[FIRST-143] holds an answer that only a host can read until one has written what it says', async () => {
    const { relay, attach, call, tell } = openRelay('left');
    const a = attach();
    call(a, 1, 'one');
    tell({ id: 1, result: { resultType: 'input_required' } });
    relay.detach(a);
    await relay.whenWritten();
    expect(relay.isIdle).toBe(false);
    const b = attach();
    relay.controlFromHost(b, join('one'));
    expect(b.messages).toMatchObject([{ id: 1, result: { resultType: 'input_required' } }]);
    relay.controlFromHost(b, { word: 'done', callId: 'one' });
    relay.detach(b);
    expect(relay.isIdle).toBe(true);
  });

  it('[FIRST-154] tries again what it could not write down, unless a host has taken it up', async () => {
    const { relay, attach, call, tell, writes } = openRelay('failed', 'failed');
    const a = attach();
    call(a, 1, 'one');
    call(a, 2, 'two');
    relay.detach(a);
    for (const id of [1, 2]) tell({ id, result: {} });
    await relay.whenWritten();
    const b = attach();
    relay.controlFromHost(b, join('two'));
    expect(relay.retryWrites()).toBe(true);
    await relay.whenWritten();
    expect(writes).toEqual(['one', 'two', 'one']);
    expect(relay.retryWrites()).toBe(false);
    expect(relay.unfinished).toEqual(['two']);
  });

  it('[FIRST-163] lets go of a call that was ended without it, unless a host follows it', () => {
    const { relay, attach, call } = openRelay();
    const a = attach();
    call(a, 1, 'one');
    call(a, 2, 'two');
    expect(relay.unattended).toEqual([]);
    relay.forget('one');
    expect(relay.unfinished).toEqual(['one', 'two']);
    relay.detach(a);
    expect(relay.unattended).toEqual(['one', 'two']);
    for (const callId of relay.unattended) relay.forget(callId);
    expect(relay.isIdle).toBe(true);
  });

  it('[BAD-378] lets go of an answer that says nothing of the work, and tells the next host to ask again', async () => {
    const { relay, attach, call, tell } = openRelay('undecided');
    const a = attach();
    call(a, 1, 'one');
    relay.detach(a);
    tell({ id: 1, error: { code: -32603, message: 'the disk failed', data: { code: 'STORE_FAILED' } } });
    await relay.whenWritten();
    expect(relay.isIdle).toBe(true);
    expect(relay.unfinished).toEqual(['one']);
    const b = attach();
    relay.controlFromHost(b, join('one'));
    expect(b.words).toEqual([{ word: 'written', callId: 'one' }]);
  });

  it('[FIRST-158] tells what never came to the server from what nobody knows, and keeps what it refused', async () => {
    const { relay, attach, call, writes } = openRelay();
    const a = attach();
    for (const [n, callId] of ['unsent', 'lost', 'refused', 'heard'].entries()) call(a, n + 1, callId);
    relay.failed(4, { message: 'refused', status: 403, text: '' });
    relay.detach(a);
    relay.failed(1, { message: 'nobody is there', isUnreachable: true });
    relay.failed(2, { message: '', isStreamEnd: true });
    relay.failed(3, { message: 'refused', status: 403, text: '' });
    await relay.whenWritten();
    expect(a.words).toMatchObject([{ word: 'refused', id: 4, failure: { status: 403 } }]);
    expect(writes).toEqual(['heard', 'refused']);
    expect(relay.unfinished).toEqual(['lost']);
    const b = attach();
    for (const callId of ['unsent', 'lost']) relay.controlFromHost(b, join(callId));
    expect(b.words).toMatchObject([{ word: 'unknown' }, { word: 'written' }]);
    relay.controlFromHost(b, { word: 'done', callId: 'lost' });
    expect(relay.unfinished).toEqual([]);
  });

  it('[FIRST-157] names the call that something was asked or told for, where that is known', () => {
    const { relay, attach, call } = openRelay();
    const [a, b] = [attach(), attach()];
    call(a, 1, 'one');
    call(b, 2, 'two');
    relay.fromServer(JSON.stringify({ id: 'kept-1', method: 'elicitation/create' }), 'one');
    relay.fromServer(JSON.stringify({ method: 'notifications/message', params: {} }), 'one');
    expect(a.words).toEqual([
      { word: 'asks', id: 'kept-1', callId: 'one' },
      { word: 'tells', callId: 'one' },
    ]);
    expect(a.messages).toHaveLength(2);
    expect([b.words, b.messages]).toEqual([[], []]);
  });

  it('[FIRST-143] gives up what a host asked for that is gone, and keeps its calls', () => {
    const { relay, attach, call, say, sent } = openRelay();
    const a = attach();
    say(a, { id: 1, method: 'resources/read', params: {} });
    call(a, 2, 'one');
    relay.detach(a);
    expect(sent.slice(2)).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 1 } }]);
    expect(relay.isIdle).toBe(false);
  });

  it('[FIRST-144] keeps a limited heap of what was told, and says when something of it is missing', () => {
    const { relay, attach, call, tell } = openRelay();
    const a = attach();
    call(a, 1, 'one');
    relay.detach(a);
    for (let n = 0; n < 6; n++) tell({ method: 'notifications/x', params: { n, text: 'x'.repeat(1024 * 1024) } });
    const b = attach();
    relay.controlFromHost(b, join('one'));
    expect(b.words).toMatchObject([{ word: 'kept', isWhole: false }]);
    expect(b.messages.length).toBeLessThan(5);
    expect(b.messages.at(-1)).toMatchObject({ params: { n: 5 } });
  });
});
