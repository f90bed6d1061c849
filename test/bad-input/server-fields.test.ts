import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTasks } from '../fuzz/good-requests.ts';
import { openHttpPeer, toHeaders } from '../fuzz/http-peer.ts';
import { ACKNOWLEDGED, type Era, type Peer, type Seen, toEnvelope, toRequest } from '../fuzz/peer.ts';
import { openStdioPeer } from '../fuzz/stdio-peer.ts';
import { share } from '../share.ts';
import { shareRig } from '../shared-rig.ts';
import { listWrongHandshakes, listWrongRequests, type WrongRequest } from './wrong-fields.ts';

const TRANSPORTS = { stdio: openStdioPeer, http: openHttpPeer };
const ERAS: readonly Era[] = ['legacy', 'modern'];
const VERSION = 'io.modelcontextprotocol/protocolVersion';

// Whatever is sent to them, they go on as they were: that is what is tested.
const PEERS = {
  stdio: { legacy: shareServer('stdio', 'legacy'), modern: shareServer('stdio', 'modern') },
  http: { legacy: shareServer('http', 'legacy'), modern: shareServer('http', 'modern') },
};

describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
  it.each(ERAS)(
    '[WIRE-01] a wrong type in any field is refused with its code, and the next request works: %s',
    async (era) => {
      const peer = PEERS[transport][era]();
      const rows = listWrongRequests(era, await makeTasks(peer));
      // A field is read in one way, however it came.
      expect(await findSurprises(peer, share(rows, { every: transport === 'stdio' ? 2 : 5 }))).toEqual([]);
      expect(rows.length).toBeGreaterThan(150);
    },
  );

  it('[WIRE-02] a handshake with a wrong field is refused, and the next one succeeds', async () => {
    const peer = PEERS[transport].legacy();
    expect(await findSurprises(peer, listWrongHandshakes(), { 'mcp-session-id': undefined })).toEqual([]);
  });

  it.each(ERAS)('[WIRE-03] what is no request is an invalid request: %s', async (era) => {
    const peer = PEERS[transport][era]();
    const good = toRequest(era, { id: 'x', method: 'tools/list' });
    const wrong = [
      ...[null, 1, '1.0', [], {}].map((jsonrpc) => ({ ...good, jsonrpc })),
      ...[null, 7, true, [], {}].map((method) => ({ ...good, method })),
      ...[null, true, [], {}, 1.5].map((id) => ({ ...good, id })),
      ...[null, 7, true, 'text'].map((params) => ({ ...good, params })),
      ...[7, null, true, []],
      // Sessions of old revisions may send several at once, and only over HTTP.
      ...(transport === 'http' && era === 'legacy' ? [] : [[good]]),
    ];
    for (const message of wrong) {
      const codes = (await peer.send({ message })).map(({ error }) => error?.code);
      expect(codes, JSON.stringify(message)).toEqual([-32600]);
    }
    await peer.call('tools/list');
  });
});

it('[WIRE-04] over stdio a request of an unknown version is refused with the versions there are', async () => {
  const peer = PEERS.stdio.modern();
  const params = { _meta: { ...toEnvelope(), [VERSION]: '2031-01-01' } };
  const [answer] = await peer.send({ message: { jsonrpc: '2.0', id: 1, method: 'tools/list', params } });
  expect(answer?.error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'], requested: '2031-01-01' } });
  await peer.call('tools/list');
});

describe('headers of 2026-07-28', () => {
  const call = toRequest('modern', {
    id: 1,
    method: 'tools/call',
    params: { name: 'greet', arguments: { name: 'Ada' } },
  });
  const get = toRequest('modern', { id: 1, method: 'tasks/get', params: { taskId: 'nobody' } });
  const future = { ...call, params: { ...call.params, _meta: { ...toEnvelope(), [VERSION]: '2031-01-01' } } };

  const rows = [
    ['another method', call, { 'mcp-method': 'tools/list' }, -32020],
    ['no method', call, { 'mcp-method': undefined }, -32020],
    ['another tool', call, { 'mcp-name': 'add' }, -32020],
    ['no tool', call, { 'mcp-name': undefined }, -32020],
    ['another task', get, { 'mcp-name': 'somebody' }, -32020],
    ['another version than the body', call, { 'mcp-protocol-version': '2025-11-25' }, -32020],
    ['a version nobody knows', future, { 'mcp-protocol-version': '2031-01-01' }, -32022],
  ] as const;

  it('[WIRE-05] that disagree with the body are refused with their code, and the next request works', async () => {
    const peer = PEERS.http.modern();
    for (const [what, message, headers, code] of rows) {
      const seen = await peer.send({ message, headers: { ...toHeaders(message), ...headers } });
      expect(
        seen.map(({ error }) => error?.code),
        what,
      ).toEqual([code]);
      await peer.call('tools/list');
    }
  });
});

it.each(ERAS)('[WIRE-03] a body that is no JSON is a parse error: %s', async (era) => {
  const peer = PEERS.http[era]();
  const seen = await peer.send({ message: undefined, body: '{"jsonrpc":' });
  expect(seen).toMatchObject([{ id: null, error: { code: -32700 } }]);
  await peer.call('tools/list');
});

function shareServer(transport: 'stdio' | 'http', era: Era): () => Peer {
  return shareRig(async (atEnd) => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-wire-'));
    // Said first, so it is done last: the server has gone by then.
    atEnd(() => rm(dir, { recursive: true }));
    return TRANSPORTS[transport](era, dir, atEnd);
  });
}

/** Sends every row; those that were not answered as they should be. */
async function findSurprises(peer: Peer, rows: readonly WrongRequest[], headers?: { [name: string]: undefined }) {
  const surprises: string[] = [];
  for (const [index, { method, params, code, what }] of rows.entries()) {
    const message = { ...toRequest(peer.era, { id: index, method }), params };
    const answers = (await peer.send({ message, ...(headers && { headers }) })).filter(isFinal);
    const codes = answers.map(({ error }) => error?.code ?? 'a result');
    const isRight = codes.length === 1 && codes[0] === code;
    if (!isRight) surprises.push(`${method}, ${what}: ${codes.join(', ')} instead of ${code}`);
    // Over stdio each comes with such a request right behind it.
    if (peer.transport === 'http') await peer.call(peer.era === 'legacy' ? 'ping' : 'tools/list');
  }
  return surprises;
}

/** Answers, and acknowledgements in their place. */
function isFinal({ id, method }: Seen): boolean {
  return (method === undefined && id !== undefined) || method === ACKNOWLEDGED;
}
