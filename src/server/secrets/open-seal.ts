import type { Seal } from '../../dialects/server-port.ts';
import type { Engine } from '../../engine/engine.ts';
import { warn } from '../../stderr.ts';
import { openSecret } from './kept-secret.ts';
import { createSeal, SEAL_KEY } from './seal.ts';

/** Signs with the secret of the server's owner, or else with the key that servers on the store share. */
export async function openSeal(secret: string | undefined, openEngine: () => Promise<Engine>): Promise<Seal> {
  if (secret !== undefined) return createSeal(secret);
  return createSeal(await openSecret(await openEngine(), SEAL_KEY, warn));
}
