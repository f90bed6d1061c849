/** The one file that knows which SQLite is used: Node's own where it has one, else the package with the same API. */
import { createRequire } from 'node:module';

export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  /** Rows as arrays; the first versions of Node's own SQLite do not have it. */
  setReturnArrays?(enabled: boolean): void;
}

export interface SqliteDriver {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface SqliteModule {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean; readonly enableForeignKeyConstraints: boolean },
  ) => SqliteDriver;
}

let loaded: SqliteModule | undefined;

/** Opens a file with the driver's defaults; nothing is read from it yet. */
export function openDriver(path: string, options: { readonly readOnly: boolean }): SqliteDriver {
  loaded ??= load();
  return new loaded.DatabaseSync(path, { readOnly: options.readOnly, enableForeignKeyConstraints: false });
}

function load(): SqliteModule {
  const builtin = process.getBuiltinModule?.('node:sqlite');
  return (builtin ?? createRequire(import.meta.url)('@photostructure/sqlite')) as SqliteModule;
}
