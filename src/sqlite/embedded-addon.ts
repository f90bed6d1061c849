/**
 * SQLite for a single-file program on a Node without SQLite: the native addon is embedded in the program and unpacked into a
 * directory of the user before it is loaded.
 *
 * The addon is loaded only after its checksum was verified, from a directory that no other user can write to.
 */
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { TaskError } from '../errors.ts';
import { makeDirectorySync } from '../make-directory-sync.ts';

/** A native addon as embedded in the program. */
export interface EmbeddedAddon {
  /** SHA-256 of the unpacked bytes, in hex. */
  readonly sha256: string;
  /** The addon, compressed with Brotli, in base64. */
  readonly packed: string;
}

/** Loads the addon for this machine; `addons` is keyed by platform, processor and C library: `linux-x64-glibc`. */
export function loadEmbeddedAddon(addons: Readonly<Record<string, EmbeddedAddon>>): unknown {
  const machine = toMachine();
  const addon = addons[machine];
  if (addon === undefined) {
    throw addonError(`this file carries SQLite for ${Object.keys(addons).join(', ')}, not for ${machine}`);
  }
  const reasons: string[] = [];
  for (const directory of toCacheDirectories()) {
    try {
      return load(unpack(addon, directory));
    } catch (error) {
      reasons.push(`${directory}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw addonError(`SQLite cannot be unpacked and loaded (${reasons.join('; ')})`);
}

/** Writes the addon into the directory unless it is there already; returns its path. */
export function unpack({ sha256, packed }: EmbeddedAddon, directory: string): string {
  makeDirectorySync(directory);
  requireOwn(directory);
  const path = join(directory, `sqlite-${sha256}.node`);
  if (isIntact(path, sha256)) return path;
  const part = `${path}.${randomUUID()}`;
  try {
    writeFileSync(part, brotliDecompressSync(Buffer.from(packed, 'base64')), { mode: 0o700, flag: 'wx' });
    // Several processes may do this at once; each renames a complete file into place.
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
  if (!isIntact(path, sha256)) throw new Error('what was unpacked has another checksum');
  return path;
}

function toMachine(): string {
  const { platform, arch } = process;
  return `${platform}-${arch}-${platform === 'linux' && isMusl() ? 'musl' : 'glibc'}`;
}

function isMusl(): boolean {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime === undefined;
}

function toCacheDirectories({ env, platform } = process): string[] {
  const temporary = join(tmpdir(), `holdfast-${process.getuid?.() ?? 'cache'}`);
  return [join(toCacheBase(env, platform), 'holdfast'), temporary];
}

function toCacheBase(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (env.XDG_CACHE_HOME && isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME;
  const home = env.HOME || homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Caches');
  if (platform === 'win32') return env.LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return join(home, '.cache');
}

/**
 * Checks who can write here: another user who can could run code as this user, and the owner of a symbolic link could
 * retarget it after the check.
 */
function requireOwn(directory: string): void {
  const entry = lstatSync(directory);
  const user = process.getuid?.();
  if (!entry.isDirectory()) throw new Error('it is no directory');
  if (user === undefined) return;
  if (entry.uid !== user) throw new Error('the directory belongs to another user');
  if ((entry.mode & 0o022) !== 0) throw new Error('others may write into the directory');
}

function isIntact(path: string, sha256: string): boolean {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex') === sha256;
  } catch {
    return false;
  }
}

function load(path: string): unknown {
  const loaded = { exports: {} };
  process.dlopen(loaded, path);
  return loaded.exports;
}

function addonError(what: string): TaskError {
  return new TaskError('STORE_FAILED', `${what}; use Node 22.13 or newer, which has SQLite built in`);
}
