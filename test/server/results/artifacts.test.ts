import { describe, expect, it } from 'vitest';
import { openHttp, openSession, post, postModern, readFrames, readJson } from '../open-http.ts';
import { openPlain, textOf } from '../plain-client.ts';

const LONG = Array.from({ length: 60_000 }, (_, line) => `line ${line} é`).join('\n');
const as = (name: string) => ({ authorization: `Bearer ${name}` });

function verify(request: Request) {
  const subject = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return subject ? { issuer: 'https://id.example', subject } : undefined;
}

async function open(options = {}) {
  const rig = await openHttp();
  const url = await rig.serve(options, (server) => {
    server.tool('long', { run: () => LONG });
    server.tool('file', {
      async run(_, task) {
        const link = await task.artifact('report.pdf', Buffer.alloc(500_000, 7), { mimeType: 'application/pdf' });
        return [{ type: 'resource_link', ...link }];
      },
    });
    server.mcp((mcp) =>
      mcp.registerResource('own', 'own://one', {}, async (uri) => ({ contents: [{ uri: uri.href, text: 'mine' }] })),
    );
  });
  const ask = async (method: string, params: { uri?: string; [name: string]: unknown }, given = {}) => {
    const headers = { ...given, ...(params.uri !== undefined && { 'mcp-name': params.uri }) };
    const response = await postModern(url, { method, params, headers });
    return (await readJson(response)) as { result?: Record<string, never>; error?: { code: number; message: string } };
  };
  return { rig, url, ask };
}

interface Contents {
  readonly text?: string;
  readonly blob?: string;
  readonly _meta: { readonly 'holdfast/range': { readonly nextOffset?: number; readonly size: number } };
}

/** Reads a resource to its end, as a client would. */
async function readAll(ask: Awaited<ReturnType<typeof open>>['ask'], uri: string, limit: number): Promise<Contents[]> {
  const parts: Contents[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { result } = await ask('resources/read', { uri: `${uri}?offset=${offset}&limit=${limit}` });
    const [contents] = (result as unknown as { contents: Contents[] }).contents;
    if (!contents) throw new Error('no contents');
    parts.push(contents);
    offset = contents._meta['holdfast/range'].nextOffset;
  }
  return parts;
}

function linkOf(content: readonly { type: string; uri?: string; size?: number }[]) {
  return content.find(({ type }) => type === 'resource_link');
}

describe('a long result', () => {
  it('[GATE-400] [GATE-403] is answered with a link, which is read in ranges to its end', async () => {
    const { ask } = await open();
    const { result } = await ask('tools/call', { name: 'long', arguments: {} });
    const link = linkOf(result?.content as never);
    expect(link?.size).toBe(Buffer.byteLength(LONG));
    const parts = await readAll(ask, String(link?.uri), 100_001);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.map(({ text }) => text).join('')).toBe(LONG);
  });

  it('[GATE-403] is there for its principal, and for nobody else', async () => {
    const { ask } = await open({ verify });
    const { result } = await ask('tools/call', { name: 'long', arguments: {} }, as('ada'));
    const uri = String(linkOf(result?.content as never)?.uri);
    expect((await ask('resources/read', { uri }, as('ada'))).result).toBeDefined();
    const foreign = await ask('resources/read', { uri }, as('bob'));
    const unknown = await ask('resources/read', { uri: 'holdfast://task/nothing/result' }, as('bob'));
    expect(foreign.error?.code).toBe(-32602);
    expect(foreign.error?.message.replace(uri, '')).toBe(
      unknown.error?.message.replace('holdfast://task/nothing/result', ''),
    );
  });

  it('[GATE-405] is read on by a model with task_wait', async () => {
    const { url } = await open();
    const client = await openPlain(url);
    const answer = await client.call('long');
    const [, task_id = '', offset = ''] = /task_id (\S+), part result and offset (\d+)/.exec(textOf(answer)) ?? [];
    const next = await client.call('task_wait', { task_id, part: 'result', offset: Number(offset) });
    const read = textOf(next);
    expect(LONG).toContain(read.slice(0, 60_000));
    expect(JSON.stringify(next.result?.content)).toMatch(/Go on with offset \d+ of \d+/);
    const wrong = await client.call('task_wait', { task_id, part: 'nothing' });
    expect(textOf(wrong)).toContain('has no artifact nothing');
  });
});

describe('a link', () => {
  it.each([
    ['2024-11-05', /report\.pdf \(application\/pdf, 500000 bytes\): holdfast:\/\/task\//],
    ['2025-06-18', undefined],
  ])('[GATE-406] is said in words to a client of %s, if it knows none', async (protocolVersion, words) => {
    const { url } = await open();
    const headers = await openSession(url, { protocolVersion });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'file', arguments: {} } };
    const { result } = await readFrames(await post(url, { body, headers })).message();
    const [block] = (result as { content: { type: string; text?: string }[] }).content;
    if (words) expect(block).toEqual({ type: 'text', text: expect.stringMatching(words) });
    else expect(block?.type).toBe('resource_link');
  });

  it('[GATE-408] leads to what was kept when the server has been started anew', async () => {
    const { rig, url, ask } = await open();
    const { result } = await ask('tools/call', { name: 'long', arguments: {} });
    const uri = String(linkOf(result?.content as never)?.uri);
    await rig.stop(url);
    const again = await rig.serve();
    const read = async () =>
      readJson(await postModern(again, { method: 'resources/read', params: { uri }, headers: { 'mcp-name': uri } }));
    expect((await read()).result).toBeDefined();
  });
});

describe('a file', () => {
  it('[GATE-407] that a tool keeps is read as it was', async () => {
    const { ask } = await open();
    const { result } = await ask('tools/call', { name: 'file', arguments: {} });
    const link = linkOf(result?.content as never);
    expect(link).toMatchObject({ name: 'report.pdf', mimeType: 'application/pdf', size: 500_000 });
    const parts = await readAll(ask, String(link?.uri), 200_000);
    const bytes = Buffer.concat(parts.map(({ blob }) => Buffer.from(blob ?? '', 'base64')));
    expect(bytes.equals(Buffer.alloc(500_000, 7))).toBe(true);
  });
});

describe('other resources', () => {
  it('[GATE-404] are read as before, and one that is not there is not found', async () => {
    const { ask } = await open();
    const own = await ask('resources/read', { uri: 'own://one' });
    expect(own.result).toMatchObject({ contents: [{ text: 'mine' }] });
    expect((await ask('resources/read', { uri: 'own://two' })).error?.code).toBe(-32602);
  });
});
