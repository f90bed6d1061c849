// @ts-check
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = import.meta.dirname;
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));

/**
 * Where a program of the tests lies, in whichever room.
 *
 * @param {string} name of its file
 */
export function programPath(name) {
  const path = paths.find((one) => basename(one) === name);
  if (path === undefined) throw new Error(`there is no test program ${name}`);
  return path;
}
