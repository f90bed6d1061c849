/**
 * A gateway over HTTP with a host before it, a client with gateways on stdio of its own, and one server behind them all.
 *
 * All share one store, one worker and one process of the server.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Journal, openJournal } from '../../../dist/apps/chaos/journal.js';
import { describeProcess, listMarked, MARK } from '../../../dist/campaign/chaos/marked.js';
import { RestartedProcess } from '../../../dist/campaign/chaos/restarted-process.js';
import { builtPath, programPath } from '../../programs/program-path.js';

/** Who can be killed. The keeper holds the server; it is no part of what a user starts, and is killed all the same. */
export const PARTS = ['gateway', 'worker', 'upstream', 'client', 'keeper'] as const;
export type Part = (typeof PARTS)[number];

export interface GatewayStageOptions {
  readonly dir: string;
  /** How many calls are under way at most. */
  readonly calls: number;
}

export interface GatewayStage {
  readonly dir: string;
  readonly runId: string;
  readonly storePath: string;
  readonly journal: Journal;
  start(): void;
  /** The processes of a part that are there at the moment. */
  pids(part: Part): number[];
  /** No new work is asked for. */
  calm(): void;
  /** Everybody who was started here goes; what they started has to go by itself. */
  close(): Promise<void>;
}

// Longer than any outage: whoever repeats a call wants the outcome of the first.
const LONG_MS = 600_000;

export function openGatewayStage({ dir, calls }: GatewayStageOptions): GatewayStage {
  for (const name of ['journal', 'ledger']) mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
  const runId = randomUUID();
  const [gateway, server] = [programPath('gateway-server.js'), programPath('journal-server.js')];
  // The same for all who start it, whatever else they are given: another environment is another server.
  const upstream = { command: process.execPath, args: [server, dir], passEnv: [MARK, 'HOLDFAST_TEST_FILE'] };
  const options = { upstream, unattendedMs: LONG_MS, joinMs: LONG_MS, inlineMs: 300, idleMs: 2000 };
  writeFileSync(join(dir, 'options.json'), JSON.stringify(options));
  const env = { ...process.env, [MARK]: runId, HOLDFAST_CHAOS_DIR: dir };
  let url = '';
  const http = new RestartedProcess({
    name: 'gateway',
    dir,
    program: gateway,
    args: [dir, 'http'],
    env: () => ({ ...env, PORT: url === '' ? '0' : new URL(url).port }),
    onLine(line) {
      const isFirst = url === '';
      url = line;
      if (isFirst) host.start();
    },
  });
  const overStdio = Math.ceil(calls / 5);
  const host = new RestartedProcess({
    name: 'host',
    dir,
    program: builtPath('campaign/chaos/peers/host-program.js'),
    env: () => ({ ...env, ...toHostEnv(url, calls - overStdio) }),
  });
  const caller = new RestartedProcess({
    name: 'caller',
    dir,
    program: programPath('stdio-caller.js'),
    args: [dir, gateway, String(overStdio)],
    env: () => env,
  });
  const clients = () => [host, caller].flatMap(({ pid }) => pid ?? []);
  return {
    dir,
    runId,
    storePath: join(dir, 'tasks.db'),
    journal: openJournal(join(dir, 'journal'), 'chaos'),
    start() {
      http.start();
      caller.start();
    },
    pids(part) {
      if (part === 'client') return clients();
      const others = listMarked(runId).filter((pid) => !clients().includes(pid));
      return others.filter((pid) => toPart(pid, [http.pid, caller.pid]) === part);
    },
    calm: () => writeFileSync(join(dir, 'calm'), ''),
    close: async () => void (await Promise.all([host, caller, http].map((role) => role.close()))),
  };
}

function toHostEnv(url: string, pending: number): NodeJS.ProcessEnv {
  const args = { ms: 3000 };
  const tools = [
    { name: 'once', repeatable: false, args },
    { name: 'again', repeatable: true, args },
  ];
  return {
    HOLDFAST_CHAOS_SERVER: JSON.stringify({ url }),
    HOLDFAST_CHAOS_TOOLS: JSON.stringify(tools),
    HOLDFAST_CHAOS_PENDING: String(pending),
    HOLDFAST_CHAOS_PACE_MS: '60',
  };
}

/** What a process is, by what it runs; a gateway is one that a client started, any other of its kind is a worker. */
function toPart(pid: number, [httpPid, callerPid]: readonly (number | undefined)[]): Part | undefined {
  const { command } = describeProcess(pid);
  if (command.includes('journal-server')) return 'upstream';
  if (command.includes('keeper')) return 'keeper';
  if (!command.includes('gateway-server')) return undefined;
  return pid === httpPid || readParent(pid) === callerPid ? 'gateway' : 'worker';
}

function readParent(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
