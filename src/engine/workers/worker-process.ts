/**
 * Whether this process is a worker, and how a program is run again as one.
 *
 * A detached worker (and an isolated attempt) is the user's own command line with a one-time token in the
 * environment. The token is taken out as soon as this module loads, so that children do not become workers.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type KeyKind, openLocalKey } from '../../codec/local-key.ts';
import { TREE_VARIABLE } from '../../process/group-view.ts';
import { MARK_VARIABLE } from '../../process/marked-processes.ts';
import { tolerateLostOutput } from '../../stderr.ts';
import { hashEnvironment } from '../program/environment.ts';
import { letListen } from './hold-listen.ts';
import { WORKER_FAILED } from './worker-life.ts';

const VARIABLE = 'HOLDFAST_WORKER';

/** What a process was started for: the place of a detached worker, one attempt, or to serve as a worker. */
export type WorkerToken = ServiceToken | PlaceToken;

/** Of `holdfast worker`, which does not know what the program is: the engine that is started first is meant. */
interface ServiceToken {
  readonly role: 'service';
  readonly startMs: number;
}

type PlaceToken = {
  readonly identity: string;
  /** The hash of the environment that the identity was made with; a program may change its own before it gets here. */
  readonly environment?: string | undefined;
  /** How long the program may take to start the engine of this identity. */
  readonly startMs: number;
} & ({ readonly role: 'detached'; readonly workerId: string } | { readonly role: 'attempt'; readonly newsFd: number });

const token = takeToken();
// Its output goes to a log beside the store, whose disk may be full: what its tools print must not end it either.
if (token) tolerateLostOutput(process.stdout, process.stderr);

/** What makes a program that is started with it a worker that stays. */
export function toServiceEnv(startMs: number): NodeJS.ProcessEnv {
  return { [VARIABLE]: JSON.stringify({ role: 'service', startMs } satisfies ServiceToken) };
}

/** True in a process that was started to run tasks; for code that must run in one of the two only. */
export const isWorker: boolean = token !== undefined;

/** The token, for the engine it was made for. */
export function findToken(identity: string): WorkerToken | undefined {
  if (token === undefined || (token.role !== 'service' && token.identity !== identity)) return undefined;
  clearTimeout(strayTimer);
  letListen();
  return token;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command line that runs this program again, or its entry for workers; nothing when there is no file to run
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

/** The environment for a process started for `next`: the one that its identity was made with. */
export function toWorkerEnv(next: PlaceToken): NodeJS.ProcessEnv {
  const { env: own, hash: environment } = environments.get(next.identity) ?? { env: process.env };
  // A worker may have been started from within somebody's tree of programs, or by a server that a host runs, and does not
  // end with them.
  const { [TREE_VARIABLE]: _tree, [MARK_VARIABLE]: _mark, ...env } = own;
  return { ...env, [VARIABLE]: JSON.stringify(environment === undefined ? next : { ...next, environment }) };
}

/** Which program this is. */
export interface ProgramIdentity {
  readonly identity: string;
  /** The same for programs that differ in their environment only. */
  readonly base: string;
}

const IDENTITY_KEY: KeyKind = { file: 'identity.key', loss: 'tasks that wait are left to be adopted' };
/** For stores that live in this process. */
const processKey = randomBytes(32);
/** What identities were made with, for the processes that are started with them. */
const environments = new Map<string, { readonly env: NodeJS.ProcessEnv; readonly hash: string }>();

export interface IdentityParts {
  readonly name: string;
  /** The file that is run in the place of the program. */
  readonly workerEntry: string | undefined;
  /** Where the key for the environment lies. */
  readonly directory: string | undefined;
}

/** Made from name, entry, arguments, working directory and environment. */
export function toIdentity({ name, workerEntry, directory }: IdentityParts): ProgramIdentity {
  const [entry = '', ...args] = toEntryAndArguments(workerEntry);
  const base = toHash([name, entry, ...args, process.cwd()]);
  const env = { ...process.env };
  const hash = findTokenHash(base) ?? hashEnvironment(env, openKey(directory));
  const identity = toHash([base, hash]);
  environments.set(identity, { env, hash });
  return { identity, base };
}

/** A worker is of the program that started it, whatever its code has done to the environment by now. */
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
    // Not made by an engine, so not meant for one.
    return undefined;
  }
}

// Whoever waits for the worker gives it up first, and says so.
const SPARE_MS = 5000;
const MAX_TIMER_MS = 2 ** 31 - 1;

// A program that never starts the engine it was spawned for would go on as a second server.
const strayTimer =
  token && setTimeout(() => process.exit(WORKER_FAILED), Math.min(token.startMs + SPARE_MS, MAX_TIMER_MS));
strayTimer?.unref();
