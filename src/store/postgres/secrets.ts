import { randomBytes } from 'node:crypto';
import { setLocalKey } from '../../codec/local-codec.ts';
import type { Store } from '../contract.ts';
import type { StoreSecrets } from '../contracts/secret-contract.ts';
import type { Connection } from './connection.ts';
import type { PostgresState } from './postgres-state.ts';

const FIND = 'SELECT content FROM @secret WHERE name = $1';
// When several processes create a secret at once, the first to commit wins.
const KEEP = 'INSERT INTO @secret (name, content) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';

/** The name of the key that seals individual values. */
const LOCAL_KEY = 'local.key';

export function createSecrets({ connection, reads }: Pick<PostgresState, 'connection' | 'reads'>): StoreSecrets {
  return { open: (name, make) => reads(() => openSecret(connection, name, make)) };
}

async function openSecret(connection: Connection, name: string, make: () => Uint8Array): Promise<Uint8Array> {
  const find = async () => (await connection.read<{ content: string }>(FIND, name))[0]?.content;
  const found = await find();
  if (found !== undefined) return Buffer.from(found, 'base64');
  await connection.read(KEEP, name, Buffer.from(make()).toString('base64'));
  return Buffer.from((await find()) ?? '', 'base64');
}

/** Gives all processes on the store the same local key, so that each can open what another has sealed. */
export async function shareLocalKey(store: Store, secrets: StoreSecrets): Promise<void> {
  setLocalKey(store, await secrets.open(LOCAL_KEY, () => randomBytes(32)));
}
