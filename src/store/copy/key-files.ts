/** The keys that lie beside a store in SQLite, and with one in PostgreSQL. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toKeyBytes } from '../../codec/aes-gcm-codec.ts';
import { TaskError } from '../../errors.ts';

/** By the name of their file; the same name is theirs in PostgreSQL. */
export type Keys = ReadonlyMap<string, Buffer>;

interface KeyFile {
  toKey(content: Buffer): Buffer;
  toContent(key: Buffer): Buffer;
}

const AS_IT_IS: KeyFile = { toKey: (content) => content, toContent: (key) => key };

const FILES: Readonly<Record<string, KeyFile>> = {
  // Written as text, so that its owner can carry it elsewhere.
  'local.key': {
    toKey: (content) => Buffer.from(toKeyBytes(content.toString('utf8')) ?? []),
    toContent: (key) => Buffer.from(`${key.toString('base64')}\n`),
  },
  'server.key': AS_IT_IS,
  'http.token': AS_IT_IS,
};

/** Those that are there. */
export function readKeyFiles(directory: string): Keys {
  const found = Object.entries(FILES).filter(([name]) => existsSync(join(directory, name)));
  return new Map(found.map(([name, { toKey }]) => [name, toKey(readFileSync(join(directory, name)))]));
}

/** Writes those that are missing; refuses to take the place of another key, which something may be sealed with. */
export function writeKeyFiles(directory: string, keys: Keys): void {
  const present = readKeyFiles(directory);
  for (const [name, key] of keys) {
    const file = FILES[name];
    const path = join(directory, name);
    if (file === undefined || present.get(name)?.equals(key)) continue;
    if (present.has(name)) {
      throw new TaskError('STORE_FOREIGN', `${path} is the key of another store; copy into a directory of its own`);
    }
    writeFileSync(path, file.toContent(key), { flag: 'wx', mode: 0o600, flush: true });
  }
}
