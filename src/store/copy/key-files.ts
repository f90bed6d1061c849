/** The key files beside a SQLite store, which a PostgreSQL store keeps in its database. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toKeyBytes } from '../../codec/aes-gcm-codec.ts';
import { TaskError } from '../../errors.ts';

/** Keys by the name of their file; PostgreSQL uses the same names. */
export type Keys = ReadonlyMap<string, Buffer>;

interface KeyFile {
  toKey(content: Buffer): Buffer;
  toContent(key: Buffer): Buffer;
}

const UNCHANGED: KeyFile = { toKey: (content) => content, toContent: (key) => key };

const FILES: Readonly<Record<string, KeyFile>> = {
  // Written as text, so that the owner can carry it elsewhere.
  'local.key': {
    toKey: (content) => Buffer.from(toKeyBytes(content.toString('utf8')) ?? []),
    toContent: (key) => Buffer.from(`${key.toString('base64')}\n`),
  },
  'server.key': UNCHANGED,
  'http.token': UNCHANGED,
};

/** Reads the key files that exist. */
export function readKeyFiles(directory: string): Keys {
  const found = Object.entries(FILES).filter(([name]) => existsSync(join(directory, name)));
  return new Map(found.map(([name, { toKey }]) => [name, toKey(readFileSync(join(directory, name)))]));
}

/** Writes the missing key files; refuses to overwrite a different key, because payloads may be sealed with it. */
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
