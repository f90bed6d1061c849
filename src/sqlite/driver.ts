/** The one file that knows which SQLite is used: Node's own where it has one, else the package with the same API. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { TaskError } from '../errors.ts';
import { ownUrl } from '../own-url.ts';

/** A value that SQLite can hold. */
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
  return (loadBuiltin() ?? loadPackage()) as SqliteModule;
}

/**
 * An optional dependency: newer Nodes need none, and whoever leaves out optional packages on an older one is told. Never
 * part of a bundle: it has native code beside it.
 */
function loadPackage(): unknown {
  try {
    return createRequire(ownUrl)('@photostructure/sqlite');
  } catch (cause) {
    const missing = `Node ${process.versions.node} has no SQLite built in, and the optional package @photostructure/sqlite cannot be loaded from ${fileURLToPath(ownUrl)}`;
    const remedy =
      'use Node 22.13 or newer, or install it there or above: npm install @photostructure/sqlite@1; for bundles see docs/bundling.md';
    throw new TaskError('STORE_FAILED', `${missing}; ${remedy}`, { cause });
  }
}

/**
 * Node 22 tells on stderr, where hosts show it to people, that its SQLite is an experiment. That is known, and nothing
 * they could do anything about; every other warning, and this one for whoever else loads it first, is left alone.
 */
function loadBuiltin(): unknown {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (/SQLite is an experimental feature/.test(String(warning))) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule?.('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
