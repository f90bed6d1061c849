/**
 * The processes that a plan is run against, in a directory of their own: clients, servers, and what they share.
 *
 * Either our workload (a server over HTTP behind a proxy, a submitter, a host and plain clients), or a foreign server under a
 * host: then its processes can be harmed and its responses judged, but not what its tools did.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Journal, openJournal } from '../../apps/chaos/journal.ts';
import type { JsonObject } from '../../host/index.ts';
import type { Part, Target } from './fault.ts';
import { listOthers, MARK } from './marked.ts';
import { type FaultyProxy, openProxy } from './peers/faulty-proxy.ts';
import { buildShim, type Shim } from './peers/shim.ts';
import { ALL_TARGETS } from './plan.ts';
import type { ChaosDatabase } from './read-store.ts';
import { RestartedProcess } from './restarted-process.ts';

/** A server that is not ours. */
export interface ForeignServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly tool: string;
  readonly toolArgs: JsonObject;
}

export interface StageOptions {
  readonly dir: string;
  /** @default our workload */
  readonly foreign?: ForeignServer;
  /** The database for the workload's store, which gets its own schema. @default a file in `dir` */
  readonly database?: string;
  /** Lease of the workload's workers, in ms. @default 3000 */
  readonly leaseMs?: number;
  /** Average time between two calls of each caller, in ms. @default 400 */
  readonly paceMs?: number;
}

export interface Stage {
  readonly dir: string;
  readonly runId: string;
  readonly foreign: boolean;
  readonly journal: Journal;
  readonly proxy: FaultyProxy;
  /** Undefined where it cannot be built. */
  readonly shim: Shim | undefined;
  readonly processes: ReadonlyMap<Part, RestartedProcess>;
  /** Path of the workload's SQLite store. */
  readonly storePath: string;
  /** The database that holds the tasks instead, if any. */
  readonly database: ChaosDatabase | undefined;
  /** The server's URL for plain clients. */
  url(): string;
  /** Starts all processes. */
  start(): void;
  /** The currently running processes of a part. */
  pids(part: Part): number[];
  /** Stops requesting new work. */
  calm(): void;
}

/** Lists what can be harmed on a stage. */
export function toStageTargets({ foreign, database }: Pick<StageOptions, 'foreign' | 'database'>): readonly Target[] {
  if (foreign) return ['server', 'worker', 'host', 'disk'];
  // The database's disk and locks are on another machine.
  return database === undefined ? ALL_TARGETS : ALL_TARGETS.filter((target) => target !== 'disk' && target !== 'store');
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAMS = {
  server: here('../../apps/chaos/server-program.js'),
  submitter: here('../../apps/chaos/submitter-program.js'),
  host: here('./peers/host-program.js'),
} as const;

/** The tools of the workload that a host calls. */
const HOST_TOOLS = [
  { name: 'once', repeatable: false, args: { ms: 400 } },
  { name: 'again', repeatable: true, args: { ms: 700 } },
  { name: 'steps', repeatable: true, args: { ms: 900 } },
  { name: 'children', repeatable: true, args: { ms: 500 } },
];

export async function openStage(options: StageOptions): Promise<Stage> {
  const { dir, foreign, leaseMs = 3000, paceMs = 400 } = options;
  for (const name of ['store', 'journal', 'ledger', 'shim'])
    mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
  const runId = randomUUID();
  const database = options.database && { url: options.database, schema: `chaos_${runId.slice(0, 8)}` };
  const disk = foreign ? dir : join(dir, 'store');
  const shim = await buildShim(join(dir, 'shim'), `${disk}/`);
  let port = 0;
  const proxy = await openProxy(() => port);
  const shared = {
    ...process.env,
    [MARK]: runId,
    HOLDFAST_CHAOS_DIR: dir,
    ...(database && { HOLDFAST_CHAOS_DATABASE: JSON.stringify(database) }),
    HOLDFAST_CHAOS_LEASE_MS: String(leaseMs),
    HOLDFAST_CHAOS_PACE_MS: String(paceMs),
  };
  const toProcess = (
    name: keyof typeof PROGRAMS,
    env: () => NodeJS.ProcessEnv = () => ({}),
    onLine?: (line: string) => void,
  ) =>
    new RestartedProcess({
      name,
      dir,
      program: PROGRAMS[name],
      env: () => ({ ...shared, ...shim?.toEnv(name), ...env() }),
      ...(onLine && { onLine }),
    });
  const url = () => `http://127.0.0.1:${proxy.port}/mcp`;
  const hostEnv = () => toHostEnv(foreign, url());
  const processes = new Map<Part, RestartedProcess>([['host', toProcess('host', hostEnv)]]);
  if (!foreign) {
    const onPort = (line: string) => {
      port = Number(line);
    };
    processes.set(
      'server',
      toProcess('server', () => ({ HOLDFAST_CHAOS_PORT: String(port) }), onPort),
    );
    processes.set('submitter', toProcess('submitter'));
  }
  return {
    dir,
    runId,
    foreign: foreign !== undefined,
    journal: openJournal(join(dir, 'journal'), 'chaos'),
    proxy,
    shim,
    processes,
    storePath: join(dir, 'store', 'tasks.db'),
    database: database || undefined,
    url,
    start() {
      for (const running of processes.values()) running.start();
    },
    pids: (part) => findPids({ part, runId, processes, foreign: foreign !== undefined }),
    calm: () => writeFileSync(join(dir, 'calm'), ''),
  };
}

function toHostEnv(foreign: ForeignServer | undefined, url: string): NodeJS.ProcessEnv {
  if (!foreign)
    return { HOLDFAST_CHAOS_SERVER: JSON.stringify({ url }), HOLDFAST_CHAOS_TOOLS: JSON.stringify(HOST_TOOLS) };
  const { command, args, tool, toolArgs } = foreign;
  // The owner's own command, started by the owner: it gets the environment that it would get from the shell.
  const passEnv = [...Object.keys(process.env), 'HOLDFAST_CHAOS_*', 'LD_PRELOAD'];
  return {
    HOLDFAST_CHAOS_SERVER: JSON.stringify({ command, args, passEnv, cwd: process.cwd(), stderr: 'inherit' }),
    HOLDFAST_CHAOS_TOOLS: JSON.stringify([{ name: tool, repeatable: true, args: toolArgs }]),
  };
}

interface PidQuery {
  readonly part: Part;
  readonly runId: string;
  readonly processes: ReadonlyMap<Part, RestartedProcess>;
  readonly foreign: boolean;
}

/**
 * A part that is kept running has one process. The server of a foreign stage is the process with the lowest pid that its host
 * started.
 */
function findPids({ part, runId, processes, foreign }: PidQuery): number[] {
  const known = processes.get(part)?.pid;
  if (known !== undefined) return [known];
  if (processes.has(part)) return [];
  const parts = [...processes.values()].flatMap(({ pid }) => pid ?? []);
  const others = listOthers(runId, parts);
  if (!foreign) return part === 'worker' ? others : [];
  return part === 'server' ? others.slice(0, 1) : others.slice(1);
}
