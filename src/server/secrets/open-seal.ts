import type { Seal } from '../../dialects/server-port.ts';
import type { Engine } from '../../engine/engine.ts';
import { warn } from '../../stderr.ts';
import { createSeal, SEAL_KEY } from './seal.ts';
import { openSecret } from './shared-secret.ts';

/** Creates the seal with the owner's secret, else with the key shared by the servers on the store. */
export async function openSeal(secret: string | undefined, openEngine: () => Promise<Engine>): Promise<Seal> {
  if (secret !== undefined) return createSeal(secret);
  return createSeal(await openSecret(await openEngine(), SEAL_KEY, warn));
}
