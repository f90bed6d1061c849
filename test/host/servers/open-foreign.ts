import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSqliteLedger, withLedgerCodec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { type Desk, openDesk } from '../open-host.ts';

export interface Foreign {
  readonly desk: Desk;
  readonly url: string;
  /** Starts a process that makes one call for each label, and kills it when the server has them. */
  killHost(tool: string, ...labels: string[]): Promise<void>;
  /** Makes calls of `long`, and closes their host when the server has them. */
  leaveCalls(...gates: string[]): Promise<void>;
  /** The session that the first call in the ledger was made in, as a host reads it. */
  session(): Promise<string>;
  /** Ends the server, and starts it again in the same place. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A server on version 1 of the SDK over HTTP, with sessions, each with tasks of its own. */
export async function openForeign({ refusal = '404' } = {}): Promise<Foreign> {
  const desk = await openDesk();
  let server = await startServer(desk, { refusal, port: '0' });
  const { url } = server;
  const stop = () => end(server.child);
  const start = async () => {
    server = await startServer(desk, { refusal, port: new URL(url).port });
  };
  onTestFinished(stop);
  return {
    desk,
    url,
    stop,
    start,
    async restart() {
      await stop();
      await start();
    },
    async killHost(tool, ...labels) {
      const child = startNode('host-of-url', [desk.ledger, url, tool, ...labels]);
      try {
        const areSent = async () => (await readSession(desk, labels.length)) !== undefined;
        await until(areSent, { what: 'the handles', timeoutMs: 60_000 });
      } finally {
        await end(child);
      }
    },
    async leaveCalls(...gates) {
      const host = await desk.host();
      await host.connect('foreign', { url });
      for (const gate of gates) await (await host.call('foreign', 'long', { gate })).sent();
      await host.close();
    },
    session: async () => (await readSession(desk, 1)) ?? '',
  };
}

/** The session of the first call, when so many calls have a handle. */
async function readSession({ ledger: path }: Desk, count: number): Promise<string | undefined> {
  const ledger = withLedgerCodec(openSqliteLedger({ path }), { secrets: 'reveal' });
  try {
    const sent = (await ledger.list()).filter(({ handle }) => handle?.session !== undefined);
    const { session } = (sent[0]?.handle ?? {}) as { session?: { id: string } };
    return sent.length < count ? undefined : (session?.id ?? '');
  } finally {
    await ledger.close();
  }
}

async function startServer({ dir }: Desk, { refusal, port }: { refusal: string; port: string }) {
  const child = startNode('host-sdk1-server', [dir, 'http', refusal], { PORT: port });
  const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return { child, url: String(line).trim() };
}

function startNode(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const path = programPath(`${program}.js`);
  return spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
