// @ts-check
import { readdir, realpath, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inRoot } from './root.mjs';
import { bin, run, WITHOUT_COLLECTING } from './run.mjs';

const THREAD = join('engine', 'heartbeat', 'heartbeat-thread.ts');
// Serves the page, which is built beside it.
const PAGE = join('dashboard', 'dashboard.ts');
// Made by bundlers, out of what is compiled.
const BUNDLED = ['web', 'programs'].map((folder) => folder + sep);
// The program of the package.
const MAIN = join('cli', 'main.ts');

/**
 * Compiles `src` into `dist` and removes what no source stands for any more.
 *
 * Nothing is deleted first: a program that is running from `dist` goes on undisturbed.
 *
 * @param {{ checkTypes?: boolean }} [options] whether wrong types are an error; somebody else looks for them otherwise
 * @returns {Promise<number>} the exit code of the compiler
 */
export async function build({ checkTypes = true } = {}) {
  const code = await compile('.', ...(checkTypes ? [] : ['--noCheck']));
  if (code !== 0) return code;
  const sources = await listFiles(inRoot('src'));
  await removeStale(sources);
  // Loaded late: the bundler may not be installed before there is something to build.
  if (sources.includes(THREAD)) await (await import('./build/thread-source.mjs')).writeThreadSource();
  if (sources.includes(MAIN)) await (await import('./build/build-programs.mjs')).buildPrograms();
  return sources.includes(PAGE) ? buildPage({ checkTypes }) : code;
}

/** Browsers know other things than Node does, so the page is checked by itself. @param {{ checkTypes: boolean }} options */
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

/** Whether this file is the program, however its path was written. */
async function isMain() {
  const program = process.argv[1];
  return program !== undefined && (await realpath(program).catch(() => '')) === fileURLToPath(import.meta.url);
}

if (await isMain()) process.exitCode = await build();
