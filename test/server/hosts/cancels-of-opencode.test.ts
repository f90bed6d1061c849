import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Message, openRawStdio } from '../../e2e/raw-client.ts';
import { openSite } from '../../e2e/site.ts';
import { openLossy } from '../open-lossy.ts';
import { openPlain, textOf } from '../plain-client.ts';

const BUILD = { name: 'build', arguments: { what: 'app' } };
const WHOAMI = { name: 'whoami', arguments: {} };

const TIME_OUT = 'McpError: MCP error -32001: Request timed out';
const ABORT = 'AbortError: The operation was aborted.';

async function open() {
  const site = await openSite('hosted-server');
  const client = await openRawStdio(site, 'legacy');
  const cancel = (requestId: Message['id'], ...reasons: readonly string[]) => {
    const method = 'notifications/cancelled';
    client.sendTogether(reasons.map((reason) => ({ jsonrpc: '2.0', method, params: { requestId, reason } })));
  };
  return { site, client, cancel };
}

/** What comes after the first says more about the result. */
function toText({ result }: Message): unknown {
  return (result as { content: { text: string }[] }).content[0]?.text;
}

describe('opencode, which aborts its own calls when they are over', () => {
  it('[HOSTS-381] cancels a call twice at its time-out; the call was left, and the next one joins it', async () => {
    const { site, client, cancel } = await open();
    await client.send({ jsonrpc: '2.0', id: 'first', method: 'tools/call', params: BUILD });
    await site.untilRuns(1);
    cancel('first', TIME_OUT, ABORT);
    const again = client.request('tools/call', BUILD);
    writeFileSync(join(site.dir, 'built'), '');
    expect(toText(await again)).toBe('app is built');
    expect(site.runs()).toEqual(['build app']);
  });

  it('[HOSTS-382] cancels each call after its answer; an equal call runs anew', async () => {
    const { site, client, cancel } = await open();
    for (let count = 1; count <= 2; count++) {
      const { id } = await client.request('tools/call', WHOAMI);
      cancel(id, ABORT);
    }
    expect(site.runs()).toEqual(['whoami none', 'whoami none']);
  });

  it('[HOSTS-382] the same over HTTP', async () => {
    const { url, runs } = await openLossy();
    const client = await openPlain(url);
    expect(textOf(await client.call('count', { of: 'a' }))).toBe('a 1');
    await client.cancel(ABORT);
    expect(textOf(await client.call('count', { of: 'a' }))).toBe('a 2');
    expect(runs).toEqual(['a', 'a']);
  });

  it('[HOSTS-383] that gave up before it read the answer gets that again', async () => {
    const { site, client, cancel } = await open();
    const { id } = await client.request('tools/call', WHOAMI);
    cancel(id, TIME_OUT, ABORT);
    expect(toText(await client.request('tools/call', WHOAMI))).toBe('works on none');
    expect(site.runs()).toEqual(['whoami none']);
  });
});
