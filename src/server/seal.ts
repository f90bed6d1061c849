import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../task/json.ts';

/** Makes texts that a client carries for us and cannot change or make up. */
export interface Seal {
  /** `use` keeps texts of one kind from being taken for another. */
  seal(use: string, content: Json): string;
  open(use: string, text: string): Json | undefined;
}

export function createSeal(key: Buffer | string): Seal {
  const sign = (use: string, body: string) => createHmac('sha256', key).update(`${use}\n${body}`).digest('base64url');
  return {
    seal(use, content) {
      const body = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${body}.${sign(use, body)}`;
    },
    open(use, text) {
      const [body, signature, rest] = text.split('.');
      if (body === undefined || signature === undefined || rest !== undefined) return undefined;
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(use, body))];
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      try {
        return JSON.parse(Buffer.from(body, 'base64url').toString()) as Json;
      } catch {
        return undefined;
      }
    },
  };
}

const KEY_FILE = 'server.key';

/** The key of all servers on one store, so that each can read what another has sealed. */
export function openSealKey(directory: string | undefined): Buffer {
  if (directory === undefined) return randomBytes(32);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, KEY_FILE);
  try {
    writeFileSync(path, randomBytes(32), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path);
}
