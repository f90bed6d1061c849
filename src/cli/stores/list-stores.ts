import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE, resolveStateDirectory } from '../../store/sqlite/directory.ts';

/** Where a store lies. */
export interface StorePlace {
  /** The folder of the server's name; the path of a store that lies elsewhere. */
  readonly name: string;
  readonly path: string;
}

/** The stores of this user: those in the state directory, by name. */
export function listStores(env: NodeJS.ProcessEnv = process.env): StorePlace[] {
  const directory = resolveStateDirectory(env);
  if (!existsSync(directory)) return [];
  const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const places = folders.map(({ name }) => ({ name, path: join(directory, name, DATABASE_FILE) }));
  return places.filter(({ path }) => existsSync(path)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
