/** Stores links to questions by the hash of their token, so that a reader of the store cannot use them. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../is-object.ts';
import { makeDirectory } from '../../process/make-directory.ts';

/** The one question that a link is for. */
export interface LinkedQuestion {
  readonly taskId: string;
  readonly key: string;
  /** The principal who created the link, on whose behalf it answers; absent for the operator. */
  readonly principal?: string;
}

export interface LinkStore {
  save(hash: string, question: LinkedQuestion): Promise<void>;
  read(hash: string): Promise<LinkedQuestion | undefined>;
}

// Most links are used within a day. Only the newest are kept; an older link becomes unknown.
const MAX_LINKS = 1000;

/** Stores links in memory, for the lifetime of the process. */
export function createMemoryLinkStore(): LinkStore {
  const kept = new Map<string, LinkedQuestion>();
  return {
    async save(hash, question) {
      const [oldest] = kept.keys();
      if (kept.size >= MAX_LINKS && oldest !== undefined) kept.delete(oldest);
      kept.set(hash, question);
    },
    read: async (hash) => kept.get(hash),
  };
}

/** Stores links as files in a directory that only its owner can read; several processes may share it. */
export function createFileLinkStore(directory: string): LinkStore {
  return {
    async save(hash, question) {
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
  if (paths.length < MAX_LINKS) return;
  const times = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
  const oldest = times.sort((one, other) => one.at - other.at).slice(0, paths.length - MAX_LINKS + 1);
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
