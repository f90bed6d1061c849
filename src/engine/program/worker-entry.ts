/** The worker entry: a file that is run as a worker instead of the program. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether it names an existing file. */
export function isEntry(value: unknown): value is string | URL {
  if (value instanceof URL ? value.protocol !== 'file:' : typeof value !== 'string') return false;
  return statSync(toEntryPath(value as string | URL), { throwIfNoEntry: false })?.isFile() ?? false;
}

export function toEntryPath(entry: string | URL): string {
  const isUrl = entry instanceof URL || entry.startsWith('file:');
  return isUrl ? fileURLToPath(entry) : resolve(entry);
}
