/** Where a keeper is found: a note beside the ledger that only its user can read, and the socket that the note names. */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { toChildEnvironment } from '../../process/child-environment.ts';
import { findForeignWriter } from '../../process/file-owner.ts';
import type { ProcessRef } from '../../process/process-ref.ts';
import type { HttpSpec, StdioSpec } from '../transports/server-spec.ts';
import { parseJson } from './frames.ts';

/** How to reach a running keeper. */
export interface KeeperNote {
  readonly socket: string;
  /** Only the same user can read it. */
  readonly token: string;
  readonly process: ProcessRef;
}

export interface KeeperPlace {
  readonly note: string;
  readonly socket: string;
}

/** The longest socket path that every system accepts, in bytes without the terminating NUL. */
const MAX_SOCKET_PATH = 103;

/** Returns the place of the keeper of one server for one ledger; creates its directory. */
export async function openKeeperPlace(ledger: string, name: string, spec: StdioSpec | HttpSpec): Promise<KeeperPlace> {
  const directory = join(dirname(ledger), 'keepers');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await checkOwn(directory);
  const identity = JSON.stringify([ledger, name, ...toIdentity(spec)]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  return { note: join(directory, `${hash}.json`), socket: await toSocketPath(directory, hash) };
}

function toIdentity(spec: StdioSpec | HttpSpec): unknown[] {
  // Each call carries its own URL and headers: a renewed token must not hide calls that were sent with the old one.
  if ('url' in spec) return ['http'];
  const { command, args = [] } = spec;
  const cwd = resolve(spec.cwd ?? '.');
  // The server's extra variables count with their values: the same program with another key is another server.
  const environment = Object.entries(toChildEnvironment(spec)).sort(([a], [b]) => (a < b ? -1 : 1));
  return [command, args, cwd, environment];
}

async function toSocketPath(directory: string, hash: string): Promise<string> {
  const beside = join(directory, `${hash}.sock`);
  if (Buffer.byteLength(beside) <= MAX_SOCKET_PATH) return beside;
  const short = join(tmpdir(), `holdfast-${process.getuid?.() ?? 'user'}`);
  await mkdir(short, { recursive: true, mode: 0o700 });
  await checkOwn(short);
  return join(short, `${hash}.sock`);
}

/** Checks that no other user can write the directory: they could put their own keeper there. */
async function checkOwn(directory: string): Promise<void> {
  const stats = await lstat(directory);
  const why = stats.isDirectory() ? findForeignWriter(stats) : 'is no directory';
  if (why !== undefined)
    throw new TaskError('STORE_NO_ACCESS', `${directory} ${why}; expected a directory of your own`);
}

export async function readKeeperNote({ note }: KeeperPlace): Promise<KeeperNote | undefined> {
  const text = await readFile(note, 'utf8').catch(() => '');
  const value = parseJson(text);
  if (!isObject(value) || typeof value.socket !== 'string' || typeof value.token !== 'string') return undefined;
  return isObject(value.process) ? (value as unknown as KeeperNote) : undefined;
}

export async function writeKeeperNote(path: string, note: KeeperNote): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, JSON.stringify(note), { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}

/** Removes only this keeper's own note: another keeper may have replaced it. */
export async function removeKeeperNote(path: string, { token, socket }: KeeperNote): Promise<void> {
  const now = await readKeeperNote({ note: path, socket });
  if (now?.token !== token) return;
  await rm(path, { force: true });
  await rm(socket, { force: true });
}
