// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const source = join(import.meta.dirname, '..', '..');
const bundle = process.env.HOLDFAST_TEST_BUNDLE || source;
// Not every program is in the bundle.
const paths = [...listPrograms(bundle), ...listPrograms(source)];

/**
 * Where a program of the tests lies, in whichever room: in the bundle of this run, if there is one.
 *
 * @param {string} name of its file
 */
export function programPath(name) {
  return find(paths, name);
}

/**
 * Where it lies in the source, on the package as it is shipped.
 *
 * @param {string} name of its file
 */
export function shippedProgramPath(name) {
  return find(listPrograms(source), name);
}

/**
 * Where a built file of the package lies that is started as a program: in the bundle of this run, if there is one.
 *
 * @param {string} path in `dist`
 */
export function builtPath(path) {
  const [place = source] = [bundle, source].filter((root) => existsSync(join(root, 'dist', path)));
  return join(place, 'dist', path);
}

/** @param {readonly string[]} programs @param {string} name */
function find(programs, name) {
  const path = programs.find((one) => basename(one) === name);
  if (path === undefined) throw new Error(`there is no test program ${name}`);
  return path;
}

/** @param {string} root */
function listPrograms(root) {
  const folder = join(root, 'test', 'programs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
}
