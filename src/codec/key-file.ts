import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { TaskError } from '../errors.ts';
import { type CodecKey, toKeyBytes } from './aes-gcm-codec.ts';
import { isPrivate } from './local-key.ts';

/**
 * Reads keys from a file that only its owner may read: one key per line, as an id and 32 bytes in hex or base64; the first key
 * encrypts. Empty lines and lines that start with `#` are skipped.
 */
export function readKeyFile(path: string): CodecKey[] {
  const keys = readPrivate(path)
    .split('\n')
    .map((line) => line.trim())
    .flatMap((line, place) => (line === '' || line.startsWith('#') ? [] : [parseLine(line, `${path}:${place + 1}`)]));
  if (keys.length > 0) return keys;
  throw new TaskError('STORE_KEY_MISSING', `the key file ${path} holds no key; expected lines of "ID KEY"`);
}

// Checks the mode of the opened file, not of the path: the file could be replaced between check and open.
function readPrivate(path: string): string {
  const file = open(path);
  try {
    if (isPrivate(fstatSync(file).mode)) return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
  throw new TaskError('STORE_KEY_WRONG', `the key file ${path} may be read by others; chmod 600 it`);
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new TaskError('STORE_KEY_MISSING', `the key file ${path} cannot be read: ${why}`, { cause });
  }
}

function parseLine(line: string, at: string): CodecKey {
  const [id = '', key = '', ...rest] = line.split(/\s+/);
  if (rest.length === 0 && toKeyBytes(key) && /^[\w-]{1,64}$/.test(id)) return { id, key };
  throw new TaskError('STORE_KEY_WRONG', `${at} is no key; expected "ID KEY" with 32 bytes in hex or base64`);
}
