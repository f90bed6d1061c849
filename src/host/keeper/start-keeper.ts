/** Finds or starts the keeper of a server: one per server and ledger, started by the first host that needs it. */
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
  /** The path of the ledger. */
  readonly ledger: string;
  /** Whether the keeper can write responses to it: not if the host has a codec or dialects of its own. */
  readonly canWrite: boolean;
  readonly maxAnswerBytes: number;
  /** Notes a server that is started, so that others can find it. */
  readonly notes: KeptNotes;
}

/** A connection to a keeper, and the token that authorizes it. */
export interface KeeperConnection {
  readonly socket: Socket;
  readonly token: string;
  /** The directory of the keepers' notes. */
  readonly directory: string;
}

/** The server cannot be started, with or without a keeper. */
export interface ServerStartFailure {
  readonly failure: unknown;
}

// A keeper loads only a few files and no SDK.
const START_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
const ENTRY = fileURLToPath(new URL('./keeper-process.js', import.meta.url));

/**
 * Returns why there can be no keepers here, or `undefined`: they need sockets in the file system, process sessions, and a program
 * file.
 */
export function findUnsupportedReason(): string | undefined {
  if (process.platform === 'win32') return 'there are no keepers on Windows';
  return existsSync(ENTRY) ? undefined : `its program is not at ${ENTRY}; leave holdfast out of bundles`;
}

export async function connectOrStartKeeper(options: KeeperOptions): Promise<KeeperConnection | ServerStartFailure> {
  const { ledger, name, spec } = options;
  const place = await openKeeperPlace(ledger, name, spec);
  return (
    (await connectTo(place)) ??
    withFileLock(place.note, async () => (await connectTo(place)) ?? start(place, options), {
      timeoutMs: 2 * START_TIMEOUT_MS,
    })
  );
}

async function connectTo(place: KeeperPlace): Promise<KeeperConnection | undefined> {
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

async function start(place: KeeperPlace, options: KeeperOptions): Promise<KeeperConnection | ServerStartFailure> {
  const { spec, notes } = options;
  await whenGone(place);
  const mark = randomUUID();
  if (!('command' in spec)) return startKeeper(place, { options, mark });
  // On disk before the process exists: if this process is killed at any point, the next host finds the server.
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
  /** Absent when calls are sent over HTTP. */
  readonly server?: RunningProgram | undefined;
}

async function startKeeper(place: KeeperPlace, { options, mark, server }: Started): Promise<KeeperConnection> {
  // The server that the keeper must end if its host is killed before it sends the order.
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
  const connection = await connectTo(place);
  if (!connection) throw new TaskError('CONNECT_FAILED', 'the keeper of the server is not where it said');
  return connection;
}

async function whenFailed(child: ReturnType<typeof spawn>): Promise<never> {
  const stopWaiting = new AbortController();
  const isOver = await Promise.race([
    once(child, 'exit', { signal: stopWaiting.signal }).then(() => true),
    delay(START_TIMEOUT_MS, false, { ref: false, signal: stopWaiting.signal }),
  ]).finally(() => stopWaiting.abort());
  throw new TaskError('CONNECT_FAILED', `the keeper of the server ${isOver ? 'ended at once' : 'does not start'}`);
}

/** A keeper that is ending accepts no hosts, and its server may hold a resource that the next one needs. */
async function whenGone(place: KeeperPlace): Promise<void> {
  const note = await readKeeperNote(place);
  for (
    const until = performance.now() + START_TIMEOUT_MS;
    note && isAlive(note.process) && performance.now() < until;
  ) {
    await delay(POLL_MS);
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

// The keeper must trust the same TLS peers as the host.
const TLS_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

// A keeper gets the same preloaded library as its host, and test campaigns inject faults into it as into the host.
const PRELOAD_VARIABLES = ['LD_PRELOAD', 'HOLDFAST_CHAOS_*'];

/**
 * The environment of the keeper, without the server's own variables: those are sent on stdin, and a search for the server's
 * processes by their mark must not find the keeper.
 */
function toOwnEnvironment(): Record<string, string> {
  return { ...getDefaultEnvironment(), ...toChildEnvironment({ passEnv: [...TLS_VARIABLES, ...PRELOAD_VARIABLES] }) };
}
