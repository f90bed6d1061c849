/** Upstreams and clients that behave badly, before a gateway in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Upstream } from 'holdfast/gateway';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRawHttp, openRawStdio } from '../e2e/raw-client.ts';
import { begin, finish } from '../e2e/raw-task.ts';
import { foreign, openGateway } from './open-gateway.ts';

const handmade = foreign('handmade-server');
const PATIENCE = { timeoutMs: 60_000 };

const unruly = (mode: string) => (): Upstream => {
  const { args = [], ...spec } = foreign('unruly-server')('') as { command: string; args?: string[] };
  return { ...spec, args: [...args.slice(0, 1), mode], stderr: 'ignore' as const };
};

/** Serves over HTTP, and keeps what is written to stderr. */
async function serve(dir: string, program: string) {
  const child = spawn(process.execPath, [program, dir, 'http'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said.text += piece;
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const [url] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { url: url.trim(), said };
}

describe('a gateway before servers of which some cannot be reached', () => {
  it('[GATE-225] names each, says why and what to do, and serves the others', async () => {
    const nowhere = () => ({ url: 'http://127.0.0.1:9/mcp' });
    const missing = () => ({ command: 'no-such-program-anywhere' });
    const site = await openGateway(
      { silent: unruly('silent'), dies: unruly('dies'), nowhere, missing, fine: handmade },
      { connectMs: 2000 },
    );
    const { url, said } = await serve(site.dir, site.command.args[0] ?? '');
    const client = await openRawHttp(url, 'legacy', async () => {});
    const { result } = await client.request('tools/call', { name: 'count', arguments: {} });
    expect(result?.content).toEqual([{ type: 'text', text: '1' }]);
    const told = (name: string) => said.text.split('\n').find((line) => line.includes(`upstream ${name} cannot be`));
    await until(() => ['silent', 'dies', 'nowhere', 'missing'].every(told), { what: 'all complaints', ...PATIENCE });
    for (const name of ['silent', 'dies', 'nowhere', 'missing']) {
      expect(told(name)).toMatch(/; it is tried again, and the other upstreams are served meanwhile$/);
    }
    expect(told('silent')).toMatch(/2000 ms|timed out/i);
    expect(told('silent')).toMatch(/run it by itself to see what it says: .*unruly-server\.js silent/);
    expect(told('dies')).toMatch(/run it by itself to see what it says: .*unruly-server\.js dies/);
    expect(told('nowhere')).toContain('see whether an MCP server answers at http://127.0.0.1:9/mcp');
    expect(told('missing')).toMatch(/ENOENT.*run it by itself to see what it says: no-such-program-anywhere/);
    await site.untilIdle();
  });
});

describe('a gateway before a server that answers with 200 MB', () => {
  it('[GATE-226] ends that call with the size and the limit, and serves the next one', async () => {
    const site = await openGateway({ enormous: unruly('enormous') }, { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    const taskId = await begin(client, 'do-enormous', { megabytes: 200 });
    expect(await finish(client, taskId)).toMatchObject({
      error: {
        message: expect.stringMatching(/^upstream enormous: .*200\d{6} bytes.*16777216/),
        data: { code: 'RESULT_TOO_LARGE' },
      },
    });
    expect(await finish(client, await begin(client, 'do-enormous'))).toEqual({ text: 'enormous did it' });
  });
});

describe('a client that goes in the middle of a frame', () => {
  it('[GATE-227] ends no work, and the next client is served', async () => {
    const site = await openGateway(handmade);
    const first = await openRawStdio(site, 'modern');
    const taskId = await begin(first, 'hold', { gate: 'a' });
    await site.untilNoted('hold a');
    await first.endWith('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"count","argum');
    const second = await openRawStdio(site, 'modern');
    await site.open('a');
    expect(await finish(second, taskId)).toEqual({ text: 'a is open' });
    const { result } = await second.request('tools/call', { name: 'count', arguments: {} });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '1' }] });
  });
});
