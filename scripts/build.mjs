// @ts-check
import { readdir, realpath, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inRoot } from './root.mjs';
import { bin, run, WITHOUT_COLLECTING } from './run.mjs';

const THREAD = join('engine', 'heartbeat', 'heartbeat-thread.ts');
// Serves the page, which is built into `dist` too.
const PAGE = join('dashboard', 'dashboard.ts');
// Written by bundlers from the compiled code.
const BUNDLED = ['web', 'programs'].map((folder) => folder + sep);
// The program of the package.
const MAIN = join('cli', 'main.ts');

/**
 * Compiles `src` into `dist` and removes outputs that have no source any more.
 *
 * Nothing is deleted first, so that programs running from `dist` are not disturbed.
 *
 * @param {{ checkTypes?: boolean }} [options] whether type errors fail the build; if not, another check reports them
 * @returns {Promise<number>} the exit code of the compiler
 */
export async function build({ checkTypes = true } = {}) {
  const code = await compile('.', ...(checkTypes ? [] : ['--noCheck']));
  if (code !== 0) return code;
  const sources = await listFiles(inRoot('src'));
  await removeStale(sources);
  // Imported lazily: the bundler may not be installed until there is something to build.
  if (sources.includes(THREAD)) await (await import('./build/thread-source.mjs')).writeThreadSource();
  if (sources.includes(MAIN)) await (await import('./build/build-programs.mjs')).buildPrograms();
  return sources.includes(PAGE) ? buildPage({ checkTypes }) : code;
}

/**
 * Builds the page. Its types are checked separately, because browsers have other globals than Node.
 * @param {{ checkTypes: boolean }} options
 */
async function buildPage({ checkTypes }) {
  const code = checkTypes ? await compile('web') : 0;
  if (code === 0) await (await import('./build/build-web.mjs')).buildWeb();
  return code;
}

/** @param {string} project @param {string[]} args */
function compile(project, ...args) {
  return run(bin('tsc'), ['-p', project, ...args], { env: WITHOUT_COLLECTING });
}

/** @param {readonly string[]} sources */
async function removeStale(sources) {
  const wanted = new Set(sources.flatMap(toOutputs));
  const stale = (await listFiles(inRoot('dist'))).filter(
    (file) => !wanted.has(file) && !BUNDLED.some((folder) => file.startsWith(folder)),
  );
  await Promise.all(stale.map((file) => rm(inRoot('dist', file))));
}

/** @param {string} source */
function toOutputs(source) {
  const stem = source.replace(/\.ts$/, '');
  return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
}

/** @param {string} folder */
async function listFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Whether this file is the main program, even if it was started through a symlink. */
async function isMain() {
  const program = process.argv[1];
  return program !== undefined && (await realpath(program).catch(() => '')) === fileURLToPath(import.meta.url);
}

if (await isMain()) process.exitCode = await build();
