/**
 * The record of changes in clients' config files, and backups of the original files.
 *
 * Written before a file is changed, so that every change can be undone. Entries may contain secrets, so only the user can read
 * the record.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { TaskError } from '../../errors.ts';
import { toHash } from './change-file.ts';
import { CLIENT_NAMES } from './client-names.ts';

const changeSchema = z.object({ path: z.array(z.string()), was: z.string(), wrote: z.string() });
const fileSchema = z.object({
  client: z.enum(CLIENT_NAMES),
  file: z.string(),
  changes: z.array(changeSchema),
});
const recordSchema = z.object({ files: z.array(fileSchema) });

/** One config file, and the changes made in it. */
export type InstalledFile = z.infer<typeof fileSchema>;

export async function readRecord(directory: string): Promise<readonly InstalledFile[]> {
  const path = toPath(directory);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{"files":[]}';
    throw error;
  });
  try {
    return recordSchema.parse(JSON.parse(text)).files;
  } catch (cause) {
    const remedy = `the files as they were are in ${join(directory, 'backups')}`;
    throw new TaskError('INVALID_ARGUMENT', `${path} is damaged; ${remedy}`, { cause });
  }
}

export async function writeRecord(directory: string, files: readonly InstalledFile[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = toPath(directory);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ files: files.filter(({ changes }) => changes.length > 0) }, undefined, 2), {
    mode: 0o600,
    flush: true,
  });
  await rename(draft, path);
}

/** Saves a copy of a file, once per content; returns the path of the copy. */
export async function keepBackup(directory: string, file: string, bytes: Buffer): Promise<string> {
  const folder = join(directory, 'backups');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${toHash(Buffer.from(file)).slice(0, 8)}-${toHash(bytes).slice(0, 12)}-${basename(file)}`);
  await writeFile(path, bytes, { mode: 0o600, flush: true });
  return path;
}

/** When an entry is changed again, the record replaces its earlier change. */
export function addChanges(files: readonly InstalledFile[], more: InstalledFile): readonly InstalledFile[] {
  const isSame = ({ client, file }: InstalledFile) => client === more.client && file === more.file;
  const known = files.find(isSame);
  const keys = new Set(more.changes.map(({ path }) => JSON.stringify(path)));
  const kept = known?.changes.filter(({ path }) => !keys.has(JSON.stringify(path))) ?? [];
  return [...files.filter((one) => !isSame(one)), { ...more, changes: [...kept, ...more.changes] }];
}

function toPath(directory: string): string {
  return join(directory, 'installed.json');
}
