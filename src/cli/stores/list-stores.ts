import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE, resolveStateDirectory } from '../../store/sqlite/directory.ts';

/** The location of a store. */
export interface StorePlace {
  /** The server's name, which is its folder's name; for a store elsewhere, its path. */
  readonly name: string;
  readonly path: string;
}

/** The stores in this user's state directory, by name. */
export function listStores(env: NodeJS.ProcessEnv = process.env): StorePlace[] {
  const directory = resolveStateDirectory(env);
  if (!existsSync(directory)) return [];
  const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const places = folders.map(({ name }) => ({ name, path: join(directory, name, DATABASE_FILE) }));
  return places.filter(({ path }) => existsSync(path)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
