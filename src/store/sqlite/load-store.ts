/** Loads the SQLite store on first use: a server answers its client before it needs one. */
import type { Rewritten } from '../../sqlite/rewrite.ts';
import type { Store } from '../contract.ts';
import type { RekeyOptions } from './rekey.ts';
import type { SqliteStoreOptions } from './store-options.ts';

/** Opens a store in a SQLite file, and creates or migrates it when needed. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { openSqliteStore: open } = await import('./sqlite-store.ts');
  return open(options);
}

/** Re-encodes all payloads of a store in a SQLite file. */
export async function rekeySqliteStore(options: RekeyOptions): Promise<Rewritten> {
  const { rekeySqliteStore: rekey } = await import('./rekey.ts');
  return rekey(options);
}
