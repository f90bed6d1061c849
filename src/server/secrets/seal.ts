import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Seal } from '../../dialects/server-port.ts';
import type { Json } from '../../task/json.ts';
import type { SharedSecret } from './shared-secret.ts';

const KEY_BYTES = 32;

export function createSeal(key: Buffer | string): Seal {
  const sign = (use: string, body: string) => createHmac('sha256', key).update(`${use}\n${body}`).digest('base64url');
  return {
    seal(use, content) {
      const body = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${body}.${sign(use, body)}`;
    },
    open(use, text) {
      const [body, signature, rest] = text.split('.', 3);
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

/** The key of all servers on one store, so that each can open what another has sealed. */
export const SEAL_KEY: SharedSecret = {
  file: 'server.key',
  make: () => randomBytes(KEY_BYTES),
  isWhole: (content) => content.length === KEY_BYTES,
};
