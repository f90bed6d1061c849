// @ts-check
import { isBuiltin } from 'node:module';
import { build } from 'rolldown';
import { inRoot } from '../root.mjs';
import { toNotices } from './notices.mjs';
import { packAddons } from './sqlite-addons.mjs';

/** Packages that are loaded only if the user has installed them: the PostgreSQL driver. */
const OPTIONAL = ['pg'];

/**
 * Bundles a built program and everything it uses into one file that needs nothing but Node.
 *
 * @param {{ entry: string, machines: readonly string[] }} options the program, and the machines its SQLite must run on
 * @returns {Promise<string>}
 */
export async function bundle({ entry, machines }) {
  const addons = await packAddons(machines);
  const { output } = await build({
    input: entry,
    cwd: inRoot(),
    platform: 'node',
    external: OPTIONAL,
    transform: { define: { __dirname: 'import.meta.dirname' } },
    plugins: [bundleRequired(), embedAddons(addons)],
    onLog(level, log) {
      if (level === 'warn') throw new Error(`The bundler warns: ${log.message}`);
    },
    output: { format: 'esm', codeSplitting: false, comments: { legal: true, jsdoc: false, annotation: false } },
    write: false,
  });
  const [chunk, ...others] = output;
  const outside = [...chunk.imports, ...chunk.dynamicImports].filter(
    (name) => name !== chunk.fileName && !isBuiltin(name) && !OPTIONAL.includes(name),
  );
  if (others.length > 0 || outside.length > 0) {
    throw new Error(`Not one file: ${[...others.map((other) => other.fileName), ...outside].join(', ')}`);
  }
  const left = listLeftBehind(chunk.code);
  if (left.length > 0) throw new Error(`Not in the file: ${left.join(', ')}`);
  return `${chunk.code}\n${await toNotices(chunk.moduleIds)}`;
}

/** Files whose absence their reader reports itself. */
const MAY_BE_MISSING = ['../../web/task-view.html'];

/** Files that modules look up beside themselves. @param {string} code */
function listLeftBehind(code) {
  const names = [...code.matchAll(/\bnew URL\("([^"]+)", import\.meta\.url\)/g)].map(([, name = '']) => name);
  return names.filter((name) => !MAY_BE_MISSING.includes(name));
}

/**
 * Bundles what our modules load lazily and synchronously (with `createRequire`) too.
 *
 * @returns {import('rolldown').Plugin}
 */
function bundleRequired() {
  const own = inRoot('dist');
  return {
    name: 'bundle-required',
    transform(code, id) {
      if (!id.startsWith(own) || !code.includes('createRequire(')) return undefined;
      const direct = code.replaceAll(/\bcreateRequire\((?:ownUrl|import\.meta\.url)\)\(/g, 'require(');
      if (direct.includes('createRequire('))
        throw new Error(`${id} uses createRequire in a way that is not known here`);
      return direct;
    },
  };
}

/**
 * Replaces the package that searches native code on disk with our own loader, which has the code embedded.
 *
 * @param {Awaited<ReturnType<typeof packAddons>>} addons
 * @returns {import('rolldown').Plugin}
 */
function embedAddons(addons) {
  const FINDER = 'node-gyp-build';
  const loader = JSON.stringify(inRoot('dist', 'sqlite', 'embedded-addon.js'));
  return {
    name: 'embed-addons',
    resolveId: (source) => (source === FINDER ? `\0${FINDER}` : undefined),
    load(id) {
      if (id !== `\0${FINDER}`) return undefined;
      const data = JSON.stringify(addons);
      return `import { loadEmbeddedAddon } from ${loader};\nexport default () => loadEmbeddedAddon(${data});\n`;
    },
  };
}
