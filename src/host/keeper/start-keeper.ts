/**
 * Finds the keeper of a server, or starts it: one for each server and ledger, whoever comes first.
 */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TaskError } from '../../errors.ts';
import { toChildEnvironment } from '../../process/child-environment.ts';
import { getDefaultEnvironment } from '../../process/default-environment.ts';
import { withFileLock } from '../../process/file-lock.ts';
import { isAlive } from '../../process/process-ref.ts';
import type { HttpSpec, StdioSpec } from '../transports/server-spec.ts';
import type { KeeperOrder, KeptProgram } from './keeper-order.ts';
import { type KeeperPlace, openKeeperPlace, readKeeperNote } from './keeper-place.ts';

export interface KeeperOptions {
  readonly name: string;
  readonly spec: StdioSpec | HttpSpec;
  /** The file of the ledger. */
  readonly ledger: string;
  /** Whether a keeper can write to it: without a codec of the host's, and with its dialects. */
  readonly canWrite: boolean;
  readonly maxAnswerBytes: number;
  /** Notes on disk that the keeper with this pid will start a server with this mark. */
  note(mark: string, pid: number): Promise<void>;
}

/** A line to a keeper, and what proves that we may use it. */
export interface KeeperLine {
  readonly socket: Socket;
  readonly token: string;
  /** Where keepers leave their notes. */
  readonly directory: string;
}

// What is started is a few files and no SDK.
const START_MS = 15_000;
const LOOK_MS = 20;
const ENTRY = fileURLToPath(new URL('./keeper-process.js', import.meta.url));

/** Whether there can be keepers here: sockets of files and sessions of processes, and a file to run. */
export function canKeep(): boolean {
  return process.platform !== 'win32' && existsSync(ENTRY);
}

export async function reachKeeper(options: KeeperOptions): Promise<KeeperLine> {
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

async function start(place: KeeperPlace, options: KeeperOptions): Promise<KeeperLine> {
  await whenGone(place);
  const order = toOrder(place, options);
  const child = spawn(process.execPath, [ENTRY], {
    cwd: dirname(place.note),
    detached: true,
    // No more than the server gets: what it does not get is nobody's business there.
    env: toOwnEnvironment(order.program?.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  try {
    await once(child, 'spawn');
    await options.note(order.mark, child.pid ?? 0);
    child.stdin.on('error', () => {}).end(JSON.stringify(order));
    await Promise.race([once(child.stdout, 'data'), whenFailed(child)]);
  } finally {
    child.stdout.destroy();
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

function toOrder({ note, socket }: KeeperPlace, options: KeeperOptions): KeeperOrder {
  const { spec, ledger, canWrite, maxAnswerBytes } = options;
  return {
    keeper: randomUUID(),
    token: randomBytes(32).toString('hex'),
    note,
    socket,
    ...('command' in spec && { program: toProgram(spec) }),
    mark: randomUUID(),
    maxAnswerBytes,
    ledger,
    canWrite,
  };
}

function toProgram(spec: StdioSpec): KeptProgram {
  const { command, args = [] } = spec;
  // The keeper stands in another directory.
  const cwd = resolve(spec.cwd ?? '.');
  return { command, args, env: { ...getDefaultEnvironment(), ...toChildEnvironment(spec) }, cwd };
}

// Whom we trust on the other side must be the same in the keeper.
const TRUST = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** What is said to the server's Node is not meant for ours. */
function toOwnEnvironment(env?: Readonly<Record<string, string>>): Record<string, string> {
  if (!env) return { ...getDefaultEnvironment(), ...toChildEnvironment({ passEnv: TRUST }) };
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('NODE_')));
}
