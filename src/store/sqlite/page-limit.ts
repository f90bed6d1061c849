import type { Database } from '../../sqlite/database.ts';
import type { Store } from '../contract.ts';

const databases = new WeakMap<Store, Database>();
// https://www.sqlite.org/pragma.html#pragma_max_page_count
const MOST_PAGES = 4_294_967_294;

export function noteDatabase(store: Store, db: Database): void {
  databases.set(store, db);
}

/** Stops the store's file from growing in this process, as on a full disk. Returns a function that lifts the limit. */
export function limitPages(store: Store): () => void {
  const db = databases.get(store);
  if (!db) throw new Error('the store is none in SQLite');
  const { page_count: pages } = db.get('PRAGMA page_count') as { page_count: number };
  db.get(`PRAGMA max_page_count = ${Number(pages)}`);
  return () => {
    if (db.isOpen) db.get(`PRAGMA max_page_count = ${MOST_PAGES}`);
  };
}
