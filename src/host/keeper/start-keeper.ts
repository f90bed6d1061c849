/**
 * Finds the keeper of a server, or starts it: one for each server and ledger, whoever comes first.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isTaskError, TaskError } from '../../errors.ts';
import { toChildEnvironment } from '../../process/child-environment.ts';
import { getDefaultEnvironment } from '../../process/default-environment.ts';
import { withFileLock } from '../../process/file-lock.ts';
import { isAlive, toProcessRef } from '../../process/process-ref.ts';
import type { KeptNotes } from '../servers/host-children.ts';
import type { HttpSpec, StdioSpec } from '../transports/server-spec.ts';
import type { KeeperOrder } from './keeper-order.ts';
import { type KeeperPlace, openKeeperPlace, readKeeperNote } from './keeper-place.ts';
import { type RunningProgram, runProgram } from './run-program.ts';

export interface KeeperOptions {
  readonly name: string;
  readonly spec: StdioSpec | HttpSpec;
  /** The file of the ledger. */
  readonly ledger: string;
  /** Whether a keeper can write to it: without a codec of the host's, and with its dialects. */
  readonly canWrite: boolean;
  readonly maxAnswerBytes: number;
  /** How others learn of a server that is started. */
  readonly notes: KeptNotes;
}

/** A line to a keeper, and what proves that we may use it. */
export interface KeeperLine {
  readonly socket: Socket;
  readonly token: string;
  /** Where keepers leave their notes. */
  readonly directory: string;
}

/** The server cannot be started, with a keeper or without one. */
export interface NoServer {
  readonly failure: unknown;
}

// What is started is a few files and no SDK.
const START_MS = 15_000;
const LOOK_MS = 20;
const ENTRY = fileURLToPath(new URL('./keeper-process.js', import.meta.url));

/** Why there can be no keepers here; nothing when there can: it takes sockets of files, sessions of processes, and a file to run. */
export function findObstacle(): string | undefined {
  if (process.platform === 'win32') return 'there are no keepers on Windows';
  return existsSync(ENTRY) ? undefined : `its program is not at ${ENTRY}; leave holdfast out of bundles`;
}

export async function reachKeeper(options: KeeperOptions): Promise<KeeperLine | NoServer> {
  const { ledger, name, spec } = options;
  const place = await openKeeperPlace(ledger, name, spec);
  return (
    (await connectTo(place)) ??
    withFileLock(place.note, async () => (await connectTo(place)) ?? start(place, options), { timeoutMs: 2 * START_MS })
  );
}

async function connectTo(place: KeeperPlace): Promise<KeeperLine | undefined> {
  const note = await readKeeperNote(place);
  if (!note) return undefined;
  const socket = connect(note.socket);
  try {
    await once(socket, 'connect');
    return { socket, token: note.token, directory: dirname(place.note) };
  } catch {
    socket.destroy();
    return undefined;
  }
}

async function start(place: KeeperPlace, options: KeeperOptions): Promise<KeeperLine | NoServer> {
  const { spec, notes } = options;
  await whenGone(place);
  const mark = randomUUID();
  if (!('command' in spec)) return startKeeper(place, { options, mark });
  // On disk before there is a process: whenever this one is killed, somebody knows of the server.
  await notes.starts(mark);
  try {
    const server = await runProgram(spec, mark);
    return await startKeeper(place, { options, mark, server });
  } catch (failure) {
    notes.ends(mark);
    if (isTaskError(failure)) throw failure;
    return { failure };
  }
}

interface Started {
  readonly options: KeeperOptions;
  readonly mark: string;
  /** None when calls are sent over HTTP. */
  readonly server?: RunningProgram | undefined;
}

async function startKeeper(place: KeeperPlace, { options, mark, server }: Started): Promise<KeeperLine> {
  // What it must end when its host is killed before it has said anything.
  const orphan = server ? [mark, String(server.pid)] : [];
  const child = spawn(process.execPath, [ENTRY, ...orphan], {
    cwd: dirname(place.note),
    detached: true,
    env: toOwnEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore', ...(server?.pipes ?? [])],
    windowsHide: true,
  });
  server?.letGo();
  try {
    await once(child, 'spawn');
    if (server) await options.notes.keeps(mark, { keeper: child.pid ?? 0, pid: server.pid });
    child.stdin?.on('error', () => {}).end(JSON.stringify(toOrder(place, { options, mark, server })));
    await Promise.race([once(child.stdout ?? child, 'data'), whenFailed(child)]);
  } catch (cause) {
    server?.kill();
    child.stdin?.destroy();
    throw isTaskError(cause) ? cause : new TaskError('SPAWN_FAILED', `Node cannot be started: ${cause}`, { cause });
  } finally {
    child.stdout?.destroy();
    child.unref();
  }
  const line = await connectTo(place);
  if (!line) throw new TaskError('CONNECT_FAILED', 'the keeper of the server is not where it said');
  return line;
}

async function whenFailed(child: ReturnType<typeof spawn>): Promise<never> {
  const late = new AbortController();
  const isOver = await Promise.race([
    once(child, 'exit', { signal: late.signal }).then(() => true),
    delay(START_MS, false, { ref: false, signal: late.signal }),
  ]).finally(() => late.abort());
  throw new TaskError('CONNECT_FAILED', `the keeper of the server ${isOver ? 'ended at once' : 'does not start'}`);
}

/** One that is ending does not take hosts any more, and its server may hold what the next one needs. */
async function whenGone(place: KeeperPlace): Promise<void> {
  const note = await readKeeperNote(place);
  for (const until = performance.now() + START_MS; note && isAlive(note.process) && performance.now() < until; ) {
    await delay(LOOK_MS);
  }
}

function toOrder({ note, socket }: KeeperPlace, { options, mark, server }: Started): KeeperOrder {
  const { ledger, canWrite, maxAnswerBytes } = options;
  return {
    keeper: randomUUID(),
    token: randomBytes(32).toString('hex'),
    note,
    socket,
    ...(server && { server: toProcessRef(server.pid) }),
    mark,
    maxAnswerBytes,
    ledger,
    canWrite,
  };
}

// Whom we trust on the other side must be the same in the keeper.
const TRUST = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

// What is laid under a host lies under its keeper; and a campaign harms it as any other process of the host.
const GROUND = ['LD_PRELOAD', 'HOLDFAST_CHAOS_*'];

/** What is the server's alone is not in it: it is told on stdin, and whoever looks for the server's processes finds only those. */
function toOwnEnvironment(): Record<string, string> {
  return { ...getDefaultEnvironment(), ...toChildEnvironment({ passEnv: [...TRUST, ...GROUND] }) };
}
