import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { openSite, type Site } from '../e2e/site.ts';
import { programPath } from '../programs/program-path.js';
import type { Message } from '../server/open-http.ts';
import { EXTENSION } from './open-2026.ts';

const META = 'io.modelcontextprotocol/';
type Params = Record<string, unknown> & { readonly capabilities?: object };

/** A client of 2026-07-28 on the pipes of a server process. */
export interface Pipe {
  readonly messages: readonly Message[];
  /** Sends a request and does not wait; `capabilities` are what the client declares with it. */
  send(id: number, method: string, params?: Params): void;
  notify(method: string, params: object): void;
  answer(id: number): Promise<Message>;
  /** Sends a request and waits for its answer. */
  ask(method: string, params?: Params): Promise<Message>;
  /** Ends the process without warning. */
  kill(): Promise<void>;
}

/** Starts a server; several may share one site. */
export async function openPipe(
  options: { readonly site?: Site; readonly program?: string } = {},
): Promise<Pipe & { readonly site: Site }> {
  const { site = await openSite(), program = 'reports-server.js' } = options;
  const path = programPath(program);
  const child = spawn(process.execPath, [path, site.dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const messages = readLines(child);
  onTestFinished(async () => {
    child.stdin.end();
    await until(() => child.exitCode !== null || child.signalCode !== null, { what: 'the server to end' });
  });
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let lastId = 1000;
  const send: Pipe['send'] = (id, method, given = {}) => {
    const { capabilities = { extensions: EXTENSION }, ...params } = given;
    const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: capabilities };
    write({ id, method, params: { ...params, _meta: { ...(params._meta as object | undefined), ..._meta } } });
  };
  const answer = (id: number) => until(() => messages.find((one) => one.id === id), { what: `answer ${id}` });
  return {
    site,
    messages,
    send,
    answer,
    notify: (method, params) => write({ method, params }),
    ask(method, params) {
      send(++lastId, method, params);
      return answer(lastId);
    },
    async kill() {
      child.kill('SIGKILL');
      await until(() => child.signalCode === 'SIGKILL', { what: 'the server to be gone' });
    },
  };
}

function readLines(child: ChildProcessByStdio<Writable, Readable, null>): Message[] {
  const messages: Message[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line));
  });
  return messages;
}
