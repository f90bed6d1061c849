// @ts-check
/**
 * Bundles the programs that run as processes of their own (the command line, the keeper) into a few files, together with the
 * packages they use: a process that loads ten files instead of some five hundred starts in little more than half the time.
 * The doors, which user programs import, stay as compiled.
 *
 * A program keeps its path in `dist`; its code is stored in `dist/programs`. Each module there sees its original path in
 * `dist` as `import.meta.url`, so it finds the files beside itself.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';
import { inRoot } from '../root.mjs';
import { toNotices } from './notices.mjs';

/** The folder in `dist` for the code of programs. */
export const PROGRAM_CODE = 'programs';

const COMMAND_LINE = 'cli/run.js';
const KEEPER = 'host/keeper/keeper-process.js';

/** Paths in `dist`. The command's own entry file only checks the Node version, and is not bundled. */
export const PROGRAMS = [COMMAND_LINE, KEEPER];

/** Modules needed before the rest is loaded: the server behind a gateway starts in the meantime. */
const AHEAD = ['cli/commands/gateway/gateway-commands.js', 'cli/commands/gateway/start-upstream.js', KEEPER];

/** Not bundled: a native module found by its path, an optional package, and this package itself, imported by name. */
const EXTERNAL = ['@photostructure/sqlite', 'pg', /^holdfast($|\/)/];

/** Code shared by at least this many lazily loaded parts goes into one file: one more file costs more than unused code. */
const SHARED_BY = 4;

/** A program started from the previous build may still load one of its parts lazily. */
const KEPT_MS = 60 * 60_000;

/** Bundles the programs of the compiled package. */
export async function buildPrograms() {
  const always = await listLoaded(COMMAND_LINE);
  const ahead = await listLoaded(...AHEAD);
  const light = await listLight();
  const { output } = await build({
    input: Object.fromEntries(PROGRAMS.map((path) => [path.replace(/\.js$/, ''), inRoot('dist', path)])),
    cwd: inRoot(),
    platform: 'node',
    external: EXTERNAL,
    // Prefer ES modules: a package that wraps its own `require` cannot be bundled.
    resolve: { mainFields: ['module', 'main'] },
    plugins: [keepModuleUrls()],
    preserveEntrySignatures: 'allow-extension',
    onLog(level, log) {
      // Shared code is not loaded lazily, which is intended here.
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
          // Also needed by `holdfast --help`.
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
  // Programs are written last, because they refer to all other files.
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

/** The static imports of one of our files. @param {string} file */
async function listImports(file) {
  const names = [...(await readFile(file, 'utf8')).matchAll(IMPORT)].map(([, name = '']) => name);
  return {
    own: names.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name)),
    hasPackage: names.some((name) => !name.startsWith('.') && !isBuiltin(name)),
  };
}

/** Our files that are loaded statically with some entries. @param {string[]} entries in `dist` */
async function listLoaded(...entries) {
  const loaded = new Set(entries.map((path) => inRoot('dist', path)));
  for (const file of loaded) for (const name of (await listImports(file)).own) loaded.add(name);
  return withoutPrograms(loaded);
}

/**
 * Leaves out the programs: a program runs as soon as it is loaded, so no other file may contain it.
 * @param {ReadonlySet<string>} files
 */
function withoutPrograms(files) {
  const programs = PROGRAMS.map((path) => inRoot('dist', path));
  return new Set([...files].filter((file) => !programs.includes(file)));
}

/** Our files that load no package, directly or indirectly. */
async function listLight() {
  const names = await readdir(inRoot('dist'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.js') && !name.startsWith(PROGRAM_CODE));
  const imports = new Map(
    await Promise.all(
      files.map(async (name) => /** @type {const} */ ([inRoot('dist', name), await listImports(inRoot('dist', name))])),
    ),
  );
  const light = new Set(imports.keys());
  // A file that imports a file that is not light is not light either.
  for (let before = -1; before !== light.size; ) {
    before = light.size;
    for (const [file, { own, hasPackage }] of imports) {
      if (hasPackage || own.some((name) => !light.has(name))) light.delete(file);
    }
  }
  return withoutPrograms(light);
}

/** Written atomically, because the file may be started at any moment. @param {string} path in `dist` @param {string} text */
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
 * Gives modules their original path in `dist`, wherever the bundler puts their code.
 *
 * @returns {import('rolldown').Plugin}
 */
function keepModuleUrls() {
  const dist = inRoot('dist');
  return {
    name: 'keep-module-urls',
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
