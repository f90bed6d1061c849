/**
 * Whether this process is a worker, and how a program is run again as one.
 *
 * A detached worker (and an isolated attempt) is the user's own command line with a one-time token in the environment.
 * The token is removed as soon as this module loads, so that child processes do not become workers.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type KeyKind, openLocalKey } from '../../codec/local-key.ts';
import { TREE_VARIABLE } from '../../process/group-view.ts';
import { MARK_VARIABLE } from '../../process/marked-processes.ts';
import { tolerateLostOutput } from '../../stderr.ts';
import { hashEnvironment } from '../program/environment.ts';
import { restoreListen } from './intercept-listen.ts';
import { WORKER_FAILED } from './worker-life.ts';

const VARIABLE = 'HOLDFAST_WORKER';

/** What a process was started for: the place of a detached worker, one attempt, or to serve as a worker. */
export type WorkerToken = ServiceToken | PlaceToken;

/** The token of `holdfast worker`, which does not know what the program is: it is for the first engine that is started. */
interface ServiceToken {
  readonly role: 'service';
  readonly startMs: number;
}

type PlaceToken = {
  readonly identity: string;
  /** The hash of the environment that the identity was made with; a program may change its environment before it gets here. */
  readonly environment?: string | undefined;
  /** How long the program may take to start the engine of this identity. */
  readonly startMs: number;
} & ({ readonly role: 'detached'; readonly workerId: string } | { readonly role: 'attempt'; readonly newsFd: number });

const token = takeToken();
// Its output goes to a log beside the store, whose disk may be full: a tool that prints must not end the process then.
if (token) tolerateLostOutput(process.stdout, process.stderr);

/** Returns the environment that makes a program a worker that stays. */
export function toServiceEnv(startMs: number): NodeJS.ProcessEnv {
  return { [VARIABLE]: JSON.stringify({ role: 'service', startMs } satisfies ServiceToken) };
}

/** Whether this process was started to run tasks; for code that must run only in workers, or only outside of them. */
export const isWorker: boolean = token !== undefined;

/** Returns the token, if it was made for this engine. */
export function findToken(identity: string): WorkerToken | undefined {
  if (token === undefined || (token.role !== 'service' && token.identity !== identity)) return undefined;
  clearTimeout(strayTimer);
  restoreListen();
  return token;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the command line that runs this program again, or its worker entry; `undefined` when there is no file to run
 * (`node -e`, a REPL).
 */
export function toCommandLine(workerEntry?: string): CommandLine | undefined {
  const [entry, ...args] = toEntryAndArguments(workerEntry);
  if (entry === undefined) return undefined;
  // A second process cannot listen on the debugger's port.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  return { command: process.execPath, args: [...flags, entry, ...args] };
}

function toEntryAndArguments(workerEntry: string | undefined): string[] {
  return workerEntry === undefined ? process.argv.slice(1) : [workerEntry];
}

/** Returns the environment for a process started for `next`: the one that its identity was made with. */
export function toWorkerEnv(next: PlaceToken): NodeJS.ProcessEnv {
  const { env: own, hash: environment } = environments.get(next.identity) ?? { env: process.env };
  // A worker may have been started from within another process tree, or by a server that a host runs, and does not end with them.
  const { [TREE_VARIABLE]: _tree, [MARK_VARIABLE]: _mark, ...env } = own;
  return { ...env, [VARIABLE]: JSON.stringify(environment === undefined ? next : { ...next, environment }) };
}

/** The identity of a program. */
export interface ProgramIdentity {
  readonly identity: string;
  /** Like `identity`, but equal for programs that differ only in their environment. */
  readonly base: string;
}

const IDENTITY_KEY: KeyKind = { file: 'identity.key', loss: 'tasks that wait are left to be adopted' };
/** The key for stores that are in the memory of this process. */
const processKey = randomBytes(32);
/** The environments that identities were made with, for the processes that are started for them. */
const environments = new Map<string, { readonly env: NodeJS.ProcessEnv; readonly hash: string }>();

export interface IdentityParts {
  readonly name: string;
  /** The file that is run instead of the program. */
  readonly workerEntry: string | undefined;
  /** The directory that holds the key for the environment. */
  readonly directory: string | undefined;
}

/** Makes the identity from name, entry, arguments, working directory and environment. */
export function toIdentity({ name, workerEntry, directory }: IdentityParts): ProgramIdentity {
  const [entry = '', ...args] = toEntryAndArguments(workerEntry);
  const base = toHash([name, entry, ...args, process.cwd()]);
  const env = { ...process.env };
  const hash = findTokenHash(base) ?? hashEnvironment(env, openKey(directory));
  const identity = toHash([base, hash]);
  environments.set(identity, { env, hash });
  return { identity, base };
}

/**
 * Returns the hash in the token: a worker belongs to the program that started it, whatever its code has done to the
 * environment by now.
 */
function findTokenHash(base: string): string | undefined {
  if (token === undefined || token.role === 'service') return undefined;
  const hash = token.environment;
  return hash !== undefined && toHash([base, hash]) === token.identity ? hash : undefined;
}

function openKey(directory: string | undefined): Uint8Array {
  return directory === undefined ? processKey : openLocalKey(directory, IDENTITY_KEY);
}

function toHash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

function takeToken(): WorkerToken | undefined {
  const text = process.env[VARIABLE];
  delete process.env[VARIABLE];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as WorkerToken;
  } catch {
    // Not made by an engine, so it is ignored.
    return undefined;
  }
}

// The process that waits for the worker times out first, and reports it.
const SPARE_MS = 5000;
const MAX_TIMER_MS = 2 ** 31 - 1;

// Without this, a program that never starts the engine it was spawned for would continue as a second server.
const strayTimer =
  token && setTimeout(() => process.exit(WORKER_FAILED), Math.min(token.startMs + SPARE_MS, MAX_TIMER_MS));
strayTimer?.unref();
