/** Where links to questions are kept: by the hash of their token, so that who reads it cannot use them. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../is-object.ts';
import { makeDirectory } from '../../process/make-directory.ts';

/** The one question that a link leads to. */
export interface LinkedQuestion {
  readonly taskId: string;
  readonly key: string;
  /** Who made the link, and so answers through it; nothing for the operator. */
  readonly principal?: string;
}

export interface LinkShelf {
  keep(hash: string, question: LinkedQuestion): Promise<void>;
  read(hash: string): Promise<LinkedQuestion | undefined>;
}

// Most are used within the day. What is older than the last so many says that it is not known.
const MOST = 1000;

/** Keeps them for as long as the process lives. */
export function createMemoryShelf(): LinkShelf {
  const kept = new Map<string, LinkedQuestion>();
  return {
    async keep(hash, question) {
      const [oldest] = kept.keys();
      if (kept.size >= MOST && oldest !== undefined) kept.delete(oldest);
      kept.set(hash, question);
    },
    read: async (hash) => kept.get(hash),
  };
}

/** Keeps them in files of a directory, which only its owner can read: several processes may share it. */
export function createFileShelf(directory: string): LinkShelf {
  return {
    async keep(hash, question) {
      await makeDirectory(directory);
      await removeOldest(directory);
      await writeFile(join(directory, hash), JSON.stringify(question), { mode: 0o600, flag: 'wx' });
    },
    async read(hash) {
      const text = await readFile(join(directory, hash), 'utf8').catch(() => '');
      return parseQuestion(text);
    },
  };
}

async function removeOldest(directory: string): Promise<void> {
  const paths = (await readdir(directory)).map((name) => join(directory, name));
  if (paths.length < MOST) return;
  const times = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
  const oldest = times.sort((one, other) => one.at - other.at).slice(0, paths.length - MOST + 1);
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
}

function parseQuestion(text: string): LinkedQuestion | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isOurs = isObject(value) && typeof value.taskId === 'string' && typeof value.key === 'string';
    return isOurs ? (value as unknown as LinkedQuestion) : undefined;
  } catch {
    return undefined;
  }
}
