// @ts-check
/**
 * Bundles the programs that tests start, with the package they use, into a few files: a process that loads ten files instead
 * of some hundred starts in half the time, and the tests start thousands of processes.
 *
 * The bundle has the layout of the repository: `dist` with the doors, the command line and the modules that run as a thread
 * or a program, `test/programs` with the programs, and the manifest. Every module sees its path in this layout as
 * `import.meta.url`, and finds the files beside itself.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { inRoot, readManifest } from '../root.mjs';
import { PROGRAM_CODE, PROGRAMS as SHIPPED } from './build-programs.mjs';
import { toScripts, warmUp } from './cached-code.mjs';

const PLACE = inRoot('.cache', 'programs');
const PROGRAMS = 'test/programs';
// Already bundled, or the entry file of the command.
const PLACES_AS_THEY_ARE = ['web', PROGRAM_CODE].map((name) => join('dist', name));
const FILES_AS_THEY_ARE = [...SHIPPED, 'cli/main.js', 'node-version.js'].map((path) => join('dist', path));

// Not bundled: these programs check the package's files as shipped, or the Node that runs them.
const AS_SHIPPED = /\/(bundled-app|host-of-plain|note-functions|runtime-contract|program-path)\.m?js$/;

// Starts programs by their path beside it.
const CAMPAIGN = join('dist', 'campaign', 'chaos', 'run-plan.js');

// Code shared by at least this many programs and lazily loaded parts goes into one file: one more file costs a process more
// than code that it does not use.
const SHARED_BY = 40;

// These files decide which versions of packages are bundled, and how.
const ALSO_COUNT = [
  'package.json',
  'package-lock.json',
  'scripts/build/program-bundle.mjs',
  'scripts/build/cached-code.mjs',
];

// Another test run may still use the bundle of another state of the code.
const KEPT_MS = 60 * 60_000;

/** File contents by path from the root of the repository. @typedef {ReadonlyMap<string, string>} Sources */

/**
 * Creates the bundle unless there already is one of exactly these files.
 *
 * @returns {Promise<string>} its directory
 */
export async function bundlePrograms() {
  const sources = await readSources();
  const name = toBundleName(sources);
  const directory = join(PLACE, name);
  if (!existsSync(directory)) {
    await makeBundle(directory, sources);
    await warmUp(join(directory, PROGRAMS, 'warm-up.js'), directory);
  }
  // Marks the bundle as in use.
  await utimes(directory, new Date(), new Date());
  await removeOld(name);
  return directory;
}

/** @param {string} directory @param {Sources} sources */
async function makeBundle(directory, sources) {
  const part = `${directory}.${process.pid}.part`;
  try {
    await writeBundle(part, { sources, directory });
    await rename(part, directory);
  } catch (error) {
    // Another process was first and has made the same bundle.
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** @returns {Promise<Sources>} */
async function readSources() {
  const folders = await Promise.all(['dist', PROGRAMS].map(listScripts));
  const paths = [...folders.flat(), ...ALSO_COUNT].sort();
  return new Map(
    await Promise.all(paths.map(async (path) => /** @type {const} */ ([path, await readFile(inRoot(path), 'utf8')]))),
  );
}

/** @param {string} folder */
async function listScripts(folder) {
  const names = await readdir(inRoot(folder), { recursive: true });
  const paths = names.filter((name) => /\.m?js$/.test(name)).map((name) => join(folder, name));
  return paths.filter((path) => !PLACES_AS_THEY_ARE.some((place) => path.startsWith(place + sep)));
}

/** A name that changes with the content of the bundled files. @param {Sources} sources */
export function toBundleName(sources) {
  const hash = createHash('sha256').update(JSON.stringify([...sources]));
  return hash.digest('hex').slice(0, 12);
}

/**
 * @param {string} folder where it is written
 * @param {{ sources: Sources, directory: string }} options the sources, and the bundle's final directory
 */
async function writeBundle(folder, { sources, directory }) {
  const entries = listEntries(sources);
  await mkdir(folder, { recursive: true });
  const { output } = await build({
    input: Object.fromEntries(entries.map((path) => [path.replace(/\.m?js$/, ''), inRoot(path)])),
    cwd: inRoot(),
    platform: 'node',
    // Native, and found by its path.
    external: ['@photostructure/sqlite'],
    // Prefer ES modules: a package that wraps its own `require` cannot be bundled.
    resolve: { mainFields: ['module', 'main'] },
    plugins: [keepModuleUrls(directory)],
    preserveEntrySignatures: 'allow-extension',
    onLog(level, log) {
      // Shared code is not loaded lazily, which is intended here.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT')
        throw new Error(`The bundler warns: ${log.message}`);
    },
    output: {
      format: 'esm',
      dir: folder,
      entryFileNames: '[name].js',
      chunkFileNames: 'dist/chunks/[name]-[hash].js',
      codeSplitting: { groups: [{ name: 'shared', minShareCount: SHARED_BY, includeDependenciesRecursively: false }] },
      comments: { legal: false, jsdoc: false, annotation: false },
    },
  });
  await copyFile(inRoot('package.json'), join(folder, 'package.json'));
  for (const path of [...PLACES_AS_THEY_ARE, ...FILES_AS_THEY_ARE]) {
    await cp(inRoot(path), join(folder, path), { recursive: true });
  }
  const chunks = output.map(({ fileName }) => fileName).filter((name) => name.startsWith('dist'));
  await toScripts(folder, [...chunks, ...(await listShipped())]);
  await Promise.all(entries.map((path) => keepMode(path, folder)));
}

/** The programs that are shipped as bundles, with the code that they load. */
async function listShipped() {
  const place = join('dist', PROGRAM_CODE);
  const code = (await readdir(inRoot(place))).filter((name) => name.endsWith('.js'));
  return [...code.map((name) => join(place, name)), ...SHIPPED.map((path) => join('dist', path))];
}

/** Keeps the executable bit: some programs are started by their name. @param {string} path @param {string} folder */
async function keepMode(path, folder) {
  const { mode } = await stat(inRoot(path));
  await chmod(join(folder, path.replace(/\.mjs$/, '.js')), mode);
}

/**
 * Files that are started or imported by path: programs, doors, the command line, and files that modules look up beside
 * themselves.
 * @param {Sources} sources
 */
function listEntries(sources) {
  const { exports, bin } = readManifest();
  const doors = Object.values(exports).flatMap((door) => door.default ?? []);
  const named = [...doors, ...Object.values(bin)].map((path) => join(path));
  const programs = [...sources.keys()].filter((path) => path.startsWith(PROGRAMS) && !AS_SHIPPED.test(path));
  const beside = [...sources].flatMap(([path, text]) => (path.startsWith('dist') ? listSiblingFiles(path, text) : []));
  const entries = new Set([...programs, ...named, ...beside, CAMPAIGN]);
  return [...entries].filter((path) => sources.has(path) && !FILES_AS_THEY_ARE.includes(path));
}

/** Files that a module refers to by path without importing them. @param {string} path @param {string} text */
function listSiblingFiles(path, text) {
  if (!text.includes('import.meta.url')) return [];
  const named = [...text.matchAll(/(?<!from |import\()'(\.{1,2}\/[\w./-]+\.js)'/g)].map(([, name = '']) => name);
  return named.map((name) => join(dirname(path), name));
}

/**
 * Gives modules their path in the bundle's layout.
 *
 * @param {string} directory
 * @returns {import('rolldown').Plugin}
 */
function keepModuleUrls(directory) {
  const own = [inRoot('dist'), inRoot(PROGRAMS)];
  return {
    name: 'keep-module-urls',
    transform(code, id) {
      if (!code.includes('import.meta.') || !own.some((folder) => id.startsWith(folder))) return undefined;
      const path = join(directory, relative(inRoot(), id));
      return code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
    },
  };
}

/** @param {string} name of the bundle in use */
async function removeOld(name) {
  for (const other of await readdir(PLACE)) {
    const path = join(PLACE, other);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (other !== name && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}
