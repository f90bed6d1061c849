import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = join(import.meta.dirname, 'programs');
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));

/** Where a program of the tests lies, in whichever room; by its file name. */
export function programPath(name: string): string {
  const path = paths.find((one) => basename(one) === name);
  if (path === undefined) throw new Error(`there is no test program ${name}`);
  return path;
}
