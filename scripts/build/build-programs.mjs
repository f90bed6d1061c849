// @ts-check
/**
 * What is started as a process of its own — the command line, the keeper — in few files, with the packages it uses: a
 * process that loads ten files instead of some five hundred starts in little more than half the time. What a program
 * imports, the doors, stays as it was compiled.
 *
 * A program keeps its name in `dist`; the code that it loads lies in `dist/programs`, where each module believes that it
 * lies in its own place in `dist`, and finds what it looks for beside itself.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';
import { inRoot } from '../root.mjs';
import { toNotices } from './notices.mjs';

/** Where the code of programs lies. */
export const PROGRAM_CODE = 'programs';

const COMMAND_LINE = 'cli/run.js';
const KEEPER = 'host/keeper/keeper-process.js';

/** In `dist`. What the command is called by only looks at the Node that runs it, and stays as it is. */
export const PROGRAMS = [COMMAND_LINE, KEEPER];

/** What is done before the rest is loaded: the server behind a gateway starts meanwhile. */
const AHEAD = ['cli/commands/gateway/gateway-commands.js', 'cli/commands/gateway/start-upstream.js', KEEPER];

/** Native and found by where it lies; only for those who have it; the package itself, by its name. */
const EXTERNAL = ['@photostructure/sqlite', 'pg', /^holdfast($|\/)/];

/** What so many of the parts that are loaded late share lies in one file: a file more costs more than code that is not used. */
const SHARED_BY = 4;

/** A program that was started from the build before may load a part of it late. */
const KEPT_MS = 60 * 60_000;

/** Puts the programs of the compiled package into few files. */
export async function buildPrograms() {
  const always = await listLoaded(COMMAND_LINE);
  const ahead = await listLoaded(...AHEAD);
  const light = await listLight();
  const { output } = await build({
    input: Object.fromEntries(PROGRAMS.map((path) => [path.replace(/\.js$/, ''), inRoot('dist', path)])),
    cwd: inRoot(),
    platform: 'node',
    external: EXTERNAL,
    // As ES modules where there are such: what wraps its own `require` cannot be put into a bundle.
    resolve: { mainFields: ['module', 'main'] },
    plugins: [keepPlaces()],
    preserveEntrySignatures: 'allow-extension',
    onLog(level, log) {
      // What is shared is not loaded late, as is wanted here.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT')
        throw new Error(`The bundler warns: ${log.message}`);
    },
    output: {
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: `${PROGRAM_CODE}/[name]-[hash].js`,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          // What `holdfast --help` needs too.
          { name: 'command-line', test: (id) => always.has(id) },
          { name: 'ahead', test: (id) => ahead.has(id) },
          { name: 'light', test: (id) => light.has(id), minShareCount: SHARED_BY },
          { name: 'shared', minShareCount: SHARED_BY },
        ],
      },
      comments: { legal: true, jsdoc: false, annotation: false },
    },
    write: false,
  });
  const chunks = output.filter((part) => part.type === 'chunk');
  // The programs last: they name all others.
  const files = chunks
    .map(({ fileName, code }) => ({ path: fileName, text: code }))
    .sort((one, other) => Number(PROGRAMS.includes(one.path)) - Number(PROGRAMS.includes(other.path)));
  const notices = {
    path: `${PROGRAM_CODE}/licenses.txt`,
    text: await toNotices(chunks.flatMap((one) => one.moduleIds)),
  };
  for (const { path, text } of [notices, ...files]) await put(path, text);
  await removeOld(new Set([notices, ...files].map(({ path }) => path)));
}

const IMPORT = /^(?:import|(?:import|export)\b[^;'"]*\bfrom) '([^']+)';/gm;

/** What a file of ours loads at once. @param {string} file */
async function listImports(file) {
  const names = [...(await readFile(file, 'utf8')).matchAll(IMPORT)].map(([, name = '']) => name);
  return {
    own: names.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name)),
    hasPackage: names.some((name) => !name.startsWith('.') && !isBuiltin(name)),
  };
}

/** The files of ours that are loaded at once with some of them. @param {string[]} entries in `dist` */
async function listLoaded(...entries) {
  const loaded = new Set(entries.map((path) => inRoot('dist', path)));
  for (const file of loaded) for (const name of (await listImports(file)).own) loaded.add(name);
  return withoutPrograms(loaded);
}

/** A program begins to run where it is loaded, so its own file is nobody else's. @param {ReadonlySet<string>} files */
function withoutPrograms(files) {
  const programs = PROGRAMS.map((path) => inRoot('dist', path));
  return new Set([...files].filter((file) => !programs.includes(file)));
}

/** The files of ours with which no package is loaded. */
async function listLight() {
  const names = await readdir(inRoot('dist'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.js') && !name.startsWith(PROGRAM_CODE));
  const imports = new Map(
    await Promise.all(
      files.map(async (name) => /** @type {const} */ ([inRoot('dist', name), await listImports(inRoot('dist', name))])),
    ),
  );
  const light = new Set(imports.keys());
  // Whoever loads what is not light is not light either.
  for (let before = -1; before !== light.size; ) {
    before = light.size;
    for (const [file, { own, hasPackage }] of imports) {
      if (hasPackage || own.some((name) => !light.has(name))) light.delete(file);
    }
  }
  return withoutPrograms(light);
}

/** Whole or not at all: it may be started at any moment. @param {string} path in `dist` @param {string} text */
async function put(path, text) {
  const target = inRoot('dist', path);
  const part = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(part, text);
  await rename(part, target);
}

/** @param {ReadonlySet<string>} current paths in `dist` */
async function removeOld(current) {
  for (const name of await readdir(inRoot('dist', PROGRAM_CODE))) {
    const path = inRoot('dist', PROGRAM_CODE, name);
    const { mtimeMs } = await stat(path);
    if (!current.has(join(PROGRAM_CODE, name)) && Date.now() - mtimeMs > KEPT_MS) await rm(path);
  }
}

/**
 * Modules see their own place in `dist`, wherever their code lies.
 *
 * @returns {import('rolldown').Plugin}
 */
function keepPlaces() {
  const dist = inRoot('dist');
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(dist) || !code.includes('import.meta.')) return undefined;
      const place = code.replaceAll('import.meta.url', `__place(${JSON.stringify(relative(dist, id))})`);
      if (place.includes('import.meta.')) throw new Error(`${id} uses import.meta in a way that is not known here`);
      return place;
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(/\b__place\("([^"]+)"\)/g, (_, path) => {
        const beside = relative(dirname(fileName), path);
        return `new URL(${JSON.stringify(beside)}, import.meta.url).href`;
      });
    },
  };
}
