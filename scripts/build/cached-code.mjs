// @ts-check
/**
 * Lets a process load code without compiling it again: compilation is half the cost of loading a large bundle.
 *
 * V8 can cache a script's compiled code, but Node 20 exposes that for scripts only, not for ES modules. So each module
 * becomes a script beside it (`x.js` → `x.cjs`), and the module itself re-exports what the script exports. The cache is
 * `x.cjs.compiled`, written by a process that has done typical work (`warmUp`) or, for scripts that it did not load, by the
 * first process that did. If V8 rejects the cache, because the process was started with other flags, the script is compiled
 * as usual.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { parseSync } from 'oxc-parser';

/** Set for a process that is to write its compiled code to the cache. */
const WARM_UP = 'HOLDFAST_TEST_WARM_UP';
const WARM_UP_MS = 120_000;
const LOADER = 'load-script.js';

/** The head of a script, which makes it a function of the values it may use. */
const SCRIPT_HEAD = '(function (exports, require, module, moduleUrl, importModule) {';

/**
 * Converts modules into scripts, with the modules as wrappers around them.
 *
 * @param {string} folder
 * @param {readonly string[]} modules paths in the folder
 */
export async function toScripts(folder, modules) {
  const loader = join(folder, LOADER);
  await writeFile(loader, LOADER_TEXT);
  for (const name of modules) {
    const path = join(folder, name);
    const script = await toScript(await readFile(path, 'utf8'));
    if (script === undefined) continue;
    await writeFile(toScriptPath(path), `${SCRIPT_HEAD}${script.code}\n})`, 'latin1');
    await writeFile(path, toModule(path, { names: script.exported, loader }));
  }
}

/**
 * Returns undefined for a module with a top-level await: it is a program, and stays a module.
 *
 * @param {string} text
 * @returns {Promise<{ code: string, exported: readonly string[] } | undefined>} with the names of its exports
 */
async function toScript(text) {
  const define = { 'import.meta.url': 'moduleUrl' };
  const { dynamicImports, staticExports } = parseSync('module.js', text).module;
  const exported = staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? ''));
  try {
    const named = nameImports(text, dynamicImports);
    const { code } = await transform(named, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      charset: 'ascii',
      define,
    });
    return { code, exported };
  } catch {
    return undefined;
  }
}

/**
 * Replaces `import()`, which a script loaded from the cache does not have, with a function.
 *
 * @param {string} text
 * @param {readonly { readonly start: number }[]} dynamicImports
 */
function nameImports(text, dynamicImports) {
  return dynamicImports.reduceRight(
    (rest, { start }) => `${rest.slice(0, start)}importModule${rest.slice(start + 'import'.length)}`,
    text,
  );
}

/** @param {string} path @param {{ names: readonly string[], loader: string }} options */
function toModule(path, { names, loader }) {
  const lines = [
    `import { loadScript } from ${JSON.stringify(toSpecifier(path, loader))};`,
    `const script = loadScript(${JSON.stringify(relative(dirname(loader), toScriptPath(path)))});`,
    ...names.map((name, index) => `const v${index} = script.${name};`),
    `export { ${names.map((name, index) => `v${index} as ${name}`).join(', ')} };`,
  ];
  return `${lines.join('\n')}\n`;
}

/** @param {string} from @param {string} to */
function toSpecifier(from, to) {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** @param {string} path */
function toScriptPath(path) {
  return path.replace(/\.js$/, '.cjs');
}

const LOADER_TEXT = `import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

const nodeRequire = createRequire(import.meta.url);
const loaded = new Map();

export function loadScript(name) {
  return loadPath(join(import.meta.dirname, name));
}

function loadPath(path) {
  const known = loaded.get(path);
  if (known) return known.module.exports;
  const cachedData = readCompiled(path);
  // The text is plain ASCII; decoding it as UTF-8 would scan and copy it.
  const script = new Script(readFileSync(path, 'latin1'), { filename: path, cachedData });
  const module = { exports: {} };
  loaded.set(path, { module, script, isKept: cachedData !== undefined });
  const toPath = (name) => join(dirname(path), name.replace(/\\.js$/, '.cjs'));
  const require = (name) => (name.startsWith('.') ? loadPath(toPath(name)) : nodeRequire(name));
  const { href } = pathToFileURL(path);
  // The ES module in front of a script only re-exports it, and takes longer to load than the script itself.
  const importModule = async (name) => {
    if (!name.startsWith('.')) return import(name);
    return existsSync(toPath(name)) ? loadPath(toPath(name)) : import(new URL(name, href).href);
  };
  script.runInThisContext()(module.exports, require, module, href, importModule);
  return module.exports;
}

function readCompiled(path) {
  try {
    return readFileSync(\`\${path}.compiled\`);
  } catch {
    return undefined;
  }
}

const isWarmUp = process.env.${WARM_UP} !== undefined;

// Scripts that the warm-up did not load are cached by the first program that loads them, unless its flags differ from those of the others.
process.on('exit', () => {
  if (process.execArgv.length > 0) return;
  for (const [path, { script, isKept }] of loaded) if (isWarmUp || !isKept) keepCompiled(path, script);
});

function keepCompiled(path, script) {
  const place = \`\${path}.compiled\`;
  const own = \`\${place}.\${process.pid}\`;
  try {
    const compiled = script.createCachedData();
    // Of several processes, the one that compiled most of the script wins.
    if (compiled.length <= (statSync(place, { throwIfNoEntry: false })?.size ?? 0)) return;
    writeFileSync(own, compiled);
    renameSync(own, place);
  } catch {
    // Another user's file, or a full disk: the next process only starts slower.
  }
}
`;

/**
 * Runs a program that does what most programs of the tests do, and stores the code that was compiled for it.
 *
 * @param {string} program
 * @param {string} bundle the directory with the other programs
 */
export async function warmUp(program, bundle) {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-warm-up-'));
  try {
    const env = { ...process.env, [WARM_UP]: '1', HOLDFAST_DIR: directory, HOLDFAST_TEST_BUNDLE: bundle };
    await promisify(execFile)(process.execPath, [program, directory], { env, timeout: WARM_UP_MS });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
