import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';

let empty: Promise<Buffer> | undefined;

/** Puts a store without tasks there: for tests with hundreds of them, because to make its tables takes longer than most tests. */
export async function writeEmptyStore(path: string): Promise<void> {
  empty ??= makeEmptyStore();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await empty, { mode: 0o600 });
}

async function makeEmptyStore(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-empty-'));
  try {
    const path = join(directory, 'tasks.db');
    const store = await openSqliteStore({ path });
    await store.close();
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}
