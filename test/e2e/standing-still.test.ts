/** A server that stood still hears of everything at once: that a caller went, and that it came again. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openSite } from './site.ts';

const META = 'io.modelcontextprotocol/';
const VERSION = '2026-07-28';
const ROUNDS = 8;

function toRequest(url: URL, label: string): string {
  const _meta = {
    [`${META}protocolVersion`]: VERSION,
    [`${META}clientInfo`]: { name: 'plain', version: '1' },
    [`${META}clientCapabilities`]: {},
  };
  const params = { name: 'work', arguments: { ms: 0, label }, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${VERSION}`,
    'MCP-Method: tools/call',
    'MCP-Name: work',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Resolves when the request is in the server's hands, as far as the system is concerned. */
async function send(url: URL, label: string): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(toRequest(url, label), resolve));
  return socket;
}

async function leave(socket: Socket): Promise<void> {
  socket.destroy();
  await once(socket, 'close');
}

async function readAnswer(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (/"(result|error)":/.test(text)) break;
  }
  return text;
}

it('[BAD-421] a caller that went and came again while the server stood still joins what it left', async () => {
  const site = await openSite('plain-server');
  await writeFile(join(site.dir, 'options.json'), JSON.stringify({ joinMs: 600_000, unattendedMs: 600_000 }));
  const store = await openSqliteStore({ path: join(site.dir, 'tasks.db') });
  onTestFinished(() => store.close());
  const { url: text, pid } = await site.serve();
  const url = new URL(text);
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  for (let round = 1; round <= ROUNDS; round++) {
    const label = `call-${round}`;
    const first = await send(url, label);
    await until(() => site.runs().length === round, { what: 'the work to begin', timeoutMs: 60_000 });
    await leave(first);
    // Those of the rounds before are there too: their last answers were not read to the end.
    const left = async () => (await store.holds.list()).filter(({ cancelAt, endedAt }) => cancelAt && endedAt);
    const isLeft = async () => (await left()).length === round;
    await until(isLeft, { what: 'the work to end, left by its caller', timeoutMs: 60_000 });
    process.kill(pid, 'SIGSTOP');
    await leave(await send(url, label));
    const again = await send(url, label);
    process.kill(pid, 'SIGCONT');
    expect(await readAnswer(again)).toContain(`${label} done`);
    expect(site.runs()).toHaveLength(round);
  }
}, 120_000);
