import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** More than about twenty files are a hall, and nobody finds anything in a hall. */
const MAX_FILES = 20;

/** What a newcomer wants to change, the words they would search for, and the file that must come first. */
const GUESSES: readonly [behaviour: string, words: string, file: string][] = [
  ['when a held call is handed over', 'hand over time', 'src/server/clients/hand-over-time.ts'],
  ['how often clients are told to poll', 'poll interval', 'src/task/poll-interval.ts'],
  ['how a host slows its polling down', 'poll backoff', 'src/dialects/shared/poll-backoff.ts'],
  ['how long a lease is kept alive', 'heartbeat thread', 'src/engine/heartbeat/heartbeat-thread.ts'],
  ['who is told that a worker is dead', 'supervisor', 'src/engine/recovery/supervisor.ts'],
  ['which dialects there are', 'dialects table', 'src/dialects/table.ts'],
  ['what is known of clients', 'profiles', 'src/server/clients/profiles.ts'],
  ['how ids of HTTP sessions are made', 'session id', 'src/server/sessions/session-id.ts'],
  ['how a connection to a server is opened again', 'reconnecting server', 'src/host/servers/reconnecting-server.ts'],
  ['which JSON-RPC codes there are', 'rpc codes', 'src/rpc-codes.ts'],
];

const sources = listFiles('src', /\.ts$/);

/** Paths from the root of the repository. */
function listFiles(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => `${folder}/${path}`)
    .sort();
}

/** The first file whose path has all the words, else the first that `git grep` finds them in. */
function search(words: string): string | undefined {
  const all = words.split(' ');
  const byName = sources.filter((path) => all.every((word) => path.includes(word)));
  const exact = byName.find((path) => basename(path, '.ts') === all.join('-'));
  if (exact ?? byName[0]) return exact ?? byName[0];
  const found = execFileSync('git', ['grep', '-l', '-i', words, '--', 'src'], { cwd: root, encoding: 'utf8' });
  return found.split('\n')[0];
}

describe('the rooms', () => {
  it('[ROOMS-241] no folder of the source is a hall', () => {
    expect(findHalls(sources)).toEqual([]);
  });

  it('[ROOMS-245] no folder of the tests is a hall', () => {
    const tests = listFiles('test', /\.(?:ts|js|mjs)$/);
    expect(findHalls(tests)).toEqual([]);
    expect(findHalls([...tests, ...Array.from({ length: MAX_FILES + 1 }, (_, i) => `test/hall/${i}.ts`)])).toEqual([
      'test/hall',
    ]);
  });

  it('[ROOMS-242] every file that ARCHITECTURE.md names is there', () => {
    const named = [...read('ARCHITECTURE.md').matchAll(/[`>"]([\w./-]+\.(?:ts|mjs))\b/g)].map(([, path = '']) => path);
    const known = [...sources, 'scripts/layers.mjs', 'scripts/build-mcp.mjs'];
    const missing = named.filter((path) => !known.some((file) => file === path || file.endsWith(`/${path}`)));
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });

  it.each(GUESSES)('[ROOMS-243] %s is found by "%s"', (_, words, file) => {
    expect(search(words)).toBe(file);
  });
});

function findHalls(paths: readonly string[]): string[] {
  return [...group(paths)].filter(([, files]) => files.length > MAX_FILES).map(([folder]) => folder);
}

function group(paths: readonly string[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return folders;
}
