import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Database } from '../../src/sqlite/database.ts';
import type { Schema } from '../../src/sqlite/migrate.ts';
import { type OpenOptions, openDatabase } from '../../src/sqlite/open.ts';

export const ITEMS: Schema = { applicationId: 4711, migrations: ['CREATE TABLE item (name TEXT, body BLOB)'] };
export const NEWER_ITEMS: Schema = {
  applicationId: 4711,
  migrations: [...ITEMS.migrations, 'ALTER TABLE item ADD COLUMN colour TEXT'],
};

export const INSERT_ITEM = 'INSERT INTO item (name, body) VALUES (?, ?)';

/** A directory for each test, and connections that are closed after it. */
export class Scratch {
  directory = '';
  readonly #opened: Database[] = [];

  constructor() {
    beforeEach(async () => {
      this.directory = await mkdtemp(join(tmpdir(), 'holdfast-sqlite-'));
    });
    afterEach(async () => {
      for (const db of this.#opened.splice(0)) db.close();
      await rm(this.directory, { recursive: true });
    });
  }

  path(...parts: string[]): string {
    return join(this.directory, ...(parts.length > 0 ? parts : ['items.db']));
  }

  open(options: Partial<OpenOptions> = {}): Database {
    const db = openDatabase({ path: this.path(), schema: ITEMS, ...options });
    this.#opened.push(db);
    return db;
  }
}

export function namesIn(db: Database): string[] {
  return db.all<{ name: string }>('SELECT name FROM item ORDER BY rowid').map(({ name }) => name);
}
