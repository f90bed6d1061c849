/** A hostile client: it sends texts of its own making to a real server process, in either era. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import type { Message } from '../../server/open-http.ts';

const PROGRAM = programPath('wire-server.js');
const META = 'io.modelcontextprotocol/';

export type Era = 'legacy' | 'modern';

export interface PeerOptions {
  readonly era?: Era;
  readonly transport?: 'stdio' | 'http';
  /** What it says of itself. */
  readonly client?: object;
  readonly capabilities?: object;
}

export interface Peer {
  /** Sends a request; its answer, and how many characters that had. */
  send(method: string, params?: object, options?: { id?: string | number }): Promise<Answered>;
  /** Sends a text; the answer with this id. */
  sendText(text: string, id: string | number | null): Promise<Answered>;
  /** Whether an ordinary call is answered. */
  isServed(): Promise<boolean>;
}

export interface Answered extends Message {
  readonly length: number;
  /** Over HTTP. */
  readonly status?: number;
}

/** `count` members with names of their own. */
export function toMembers(count: number, value: unknown = 1): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
}

/** Starts a server and comes to it as this client. */
export async function openPeer(options: PeerOptions = {}): Promise<Peer> {
  const { era = 'legacy', transport = 'stdio', client = { name: 'raw', version: '1' }, capabilities = {} } = options;
  const exchange = await (transport === 'stdio' ? openStdio() : openHttpServer(era));
  const envelope = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: client,
    [`${META}clientCapabilities`]: capabilities,
  };
  let last = 0;
  const send: Peer['send'] = (method, params = {}, { id = ++last } = {}) => {
    const given = params as { readonly _meta?: object };
    const whole = era === 'legacy' ? params : { ...params, _meta: { ...envelope, ...given._meta } };
    return exchange(JSON.stringify({ jsonrpc: '2.0', id, method, params: whole }), id);
  };
  if (era === 'legacy') {
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: client };
    const welcome = await exchange(
      JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }),
      'hello',
    );
    expect(welcome).toHaveProperty('result');
  }
  return {
    send,
    sendText: exchange,
    async isServed() {
      const { result } = await send('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
      return JSON.stringify(result ?? '').includes('"3"');
    },
  };
}

type Exchange = (text: string, id: string | number | null) => Promise<Answered>;

async function startServer(transport: 'stdio' | 'http') {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-peer-'));
  const child = spawn(process.execPath, [PROGRAM, dir, transport], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  onTestFinished(async () => {
    child.stdin.end();
    if (transport === 'http') child.kill('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode !== null, { what: 'the end', timeoutMs: 60_000 });
    await rm(dir, { recursive: true });
  });
  return { child, lines };
}

async function openStdio(): Promise<Exchange> {
  const { child, lines } = await startServer('stdio');
  return async (text, id) => {
    child.stdin.write(`${text}\n`);
    const isAnswer = (line: string) => (JSON.parse(line) as Message).id === id;
    const line = await until(() => lines.find(isAnswer), { what: 'an answer', timeoutMs: 60_000 });
    lines.splice(lines.indexOf(line), 1);
    return { ...(JSON.parse(line) as Message), length: line.length };
  };
}

async function openHttpServer(era: Era): Promise<Exchange> {
  const { lines } = await startServer('http');
  const url = await until(() => lines[0], { what: 'the URL', timeoutMs: 60_000 });
  let session: Record<string, string> = {};
  return async (text, id) => {
    const headers = era === 'legacy' ? session : toHeaders(text);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: text,
    });
    const sessionId = response.headers.get('mcp-session-id');
    if (sessionId) session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
    const body = await response.text();
    const json = /^data: (\{.*)$/m.exec(body)?.[1] ?? body;
    const message = JSON.parse(json) as Message;
    expect(message.id ?? null).toBe(id);
    return { ...message, length: body.length, status: response.status };
  };
}

/** What a request of 2026-07-28 repeats in its headers. */
function toHeaders(text: string): Record<string, string> {
  const found = (name: string) => new RegExp(`"${name}":"([^"]{0,2000})`).exec(text)?.[1];
  const method = found('method') ?? '';
  const name = text.includes('"params":{"name"') ? found('name') : (found('taskId') ?? found('uri'));
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}
