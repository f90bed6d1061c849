import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TaskError } from '../../errors.ts';
import { withCodec } from '../../store/codec/with-codec.ts';
import type { Store } from '../../store/contract.ts';
import { DATABASE_FILE, resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { StoreValues } from '../command-line/shared-options.ts';
import { readCodec } from './read-codec.ts';
import { findStoreAddress, toStoreText } from './store-address.ts';

/**
 * Opens the store that a command line names. It must exist: a mistyped path must not create an empty store. Payloads whose
 * key is missing are shown as unreadable.
 */
export async function openStore(values: StoreValues, options: { readonly readOnly: boolean }): Promise<Store> {
  const codec = readCodec(values);
  const address = findStoreAddress(values);
  if (address !== undefined) {
    const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts');
    return withCodec(await openPostgresStore({ ...address, migrate: false }), { codec, unreadable: 'show' });
  }
  const store = await openSqliteStore({ path: toDatabasePath(values), create: false, readOnly: options.readOnly });
  return withCodec(store, { codec, unreadable: 'show' });
}

/** The path of the database that a command line names. */
export function toDatabasePath(values: StoreValues): string {
  const { name } = values;
  const store = toStoreText(values);
  if (store !== undefined && name !== undefined) throw new TaskError('USAGE', 'give --store or --name, not both');
  if (name !== undefined) return join(resolveStoreDirectory(name), DATABASE_FILE);
  if (!store) {
    const expected = '--name NAME for the store of a server, or --store PATH; holdfast where lists those of this user';
    throw new TaskError('USAGE', `which store? expected: ${expected}`);
  }
  return isDirectory(store) ? join(store, DATABASE_FILE) : store;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
