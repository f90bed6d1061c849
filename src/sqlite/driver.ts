/** The only file that knows which SQLite is used: Node's own where available, else the package with the same API. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { TaskError } from '../errors.ts';
import { ownUrl } from '../own-url.ts';

/** A value that SQLite can store. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  /** Returns rows as arrays; missing in the first versions of Node's own SQLite. */
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
 * Loads the package, an optional dependency: newer Node versions do not need it, and on older ones the error says how to
 * install it. Never bundled, because its native code is a separate file.
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
 * Node 22 warns on stderr, which hosts show to people, that its SQLite is experimental. Users can do nothing about that, so
 * this warning is suppressed here; all other warnings, and this one when other code loads SQLite first, are kept.
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
