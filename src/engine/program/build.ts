/**
 * The build: which version of a program a process runs, from the files on disk when it starts.
 *
 * A build consists of the program's own files that the entry file loads, by their contents; the installed packages, by
 * the record that npm, pnpm and Yarn keep of them; and Holdfast itself, by its version and the time of its main file.
 */
import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownUrl } from '../../own-url.ts';
import type { Build } from '../../store/contracts/worker-contract.ts';
import { readSourceFiles } from './source-files.ts';

export interface BuildPlaces {
  readonly entry: string | undefined;
  /** The directory of Holdfast's package; `undefined` when Holdfast is part of a bundle, which is then the entry. */
  readonly holdfast: string | undefined;
}

/** Files that package managers write into `node_modules` when they have changed it. */
const RECORDS = ['.package-lock.json', '.pnpm/lock.yaml', '.yarn-state.yml', '.yarn-integrity'];

const MAIN_FILE = join('dist', 'index.js');

const builds = new Map<string | undefined, Build>();

/**
 * Returns the build of this process, as it was when first asked for: loaded code does not change any more. With a worker
 * entry it is the build of that file: the serving process may have Holdfast in another form than its worker.
 */
export function currentBuild(workerEntry?: string): Build {
  const build =
    builds.get(workerEntry) ??
    toBuild({
      entry: workerEntry ?? process.argv[1],
      holdfast: workerEntry === undefined ? findHoldfast() : undefined,
    });
  builds.set(workerEntry, build);
  return build;
}

export function toBuild({ entry, holdfast }: BuildPlaces): Build {
  const isHoldfast = (path: string) => holdfast !== undefined && path.startsWith(join(holdfast, 'dist') + sep);
  const files = entry === undefined ? [] : readSourceFiles(entry, isHoldfast);
  const [first] = files;
  // The entry is gone: all processes in this state count as the same build.
  if (entry === undefined || first === undefined) return { id: 'unknown', at: 0 };
  const directory = dirname(first.path);
  const hash = createHash('sha256');
  for (const { path, text } of files) add(hash, relative(directory, path), text);
  const times = files.map(({ changedAt }) => changedAt);
  times.push(...toLinkTimes(entry), addPackages(hash, directory));
  if (holdfast !== undefined) times.push(addHoldfast(hash, holdfast));
  return { id: hash.digest('base64url').slice(0, 22), at: Math.max(...times) };
}

function add(hash: Hash, name: string, content: string | Buffer): void {
  // Lengths first, so that two different lists of files never give the same input.
  hash.update(`${name.length} ${Buffer.byteLength(content)} ${name}`).update(content);
}

/** Returns the times of symbolic links in the path: a release that is switched by a link counts from the switch. */
function toLinkTimes(entry: string): number[] {
  const parts = entry.split(sep);
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join(sep) || sep);
  return paths
    .map((path) => lstatSync(path, { throwIfNoEntry: false }))
    .map((stats) => (stats?.isSymbolicLink() ? toTime(stats) : 0));
}

/** Adds the record of the installed packages of a directory to the hash; returns when it was written. */
function addPackages(hash: Hash, directory: string): number {
  for (let place = directory; ; place = dirname(place)) {
    for (const name of RECORDS) {
      const path = join(place, 'node_modules', name);
      const text = readIfThere(path);
      if (text === undefined) continue;
      add(hash, name, text);
      return toTime(statSync(path));
    }
    if (dirname(place) === place) return 0;
  }
}

/**
 * Adds the version of Holdfast and when it was installed; returns the latter. Installing or building it rewrites all of
 * its files.
 */
function addHoldfast(hash: Hash, directory: string): number {
  const main = statSync(join(directory, MAIN_FILE), { throwIfNoEntry: false });
  add(hash, MAIN_FILE, `${main?.size} ${main?.mtimeMs}`);
  add(hash, 'package.json', readIfThere(join(directory, 'package.json')) ?? '');
  return toTime(main);
}

/** When a file got its present state here (ctime); copying and unpacking may set its other times to anything. */
function toTime(stats: Stats | undefined): number {
  return Math.floor(stats?.ctimeMs ?? 0);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function findHoldfast(): string | undefined {
  const root = join(dirname(fileURLToPath(ownUrl)), '..');
  const text = readIfThere(join(root, 'package.json'))?.toString('utf8') ?? '';
  return /"name":\s*"holdfast"/.test(text) ? root : undefined;
}
