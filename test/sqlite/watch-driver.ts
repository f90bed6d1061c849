import { createRequire } from 'node:module';

/** A connection of the driver's. */
export interface Connection {
  prepare(sql: string): { get(): unknown };
}

/**
 * The connections that stores open from now on, oldest first. Some limits hold for one connection, and those of a store
 * are its own business: its driver is watched, so that a test can set a limit on the very connection the store writes with.
 */
export function watchDriver(): Connection[] {
  const connections: Connection[] = [];
  const getBuiltin = process.getBuiltinModule;
  const { DatabaseSync } = getBuiltin('node:sqlite') ?? createRequire(import.meta.url)('@photostructure/sqlite');
  class WatchedDatabase extends DatabaseSync {
    constructor(path: string, options: object) {
      super(path, options);
      connections.push(this as unknown as Connection);
    }
  }
  const watched = { DatabaseSync: WatchedDatabase };
  process.getBuiltinModule = ((id: string) => (id === 'node:sqlite' ? watched : getBuiltin(id))) as typeof getBuiltin;
  return connections;
}
