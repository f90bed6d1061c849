// @ts-check
import { writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { build } from 'rolldown';
import { inRoot } from '../root.mjs';

const FOLDER = ['dist', 'engine', 'heartbeat'];

/**
 * Bundles the built heartbeat thread and everything it loads into one string, and writes that into the module that bundles
 * import.
 */
export async function writeThreadSource() {
  const code = await bundleThread(inRoot(...FOLDER, 'heartbeat-thread.js'));
  await writeFile(inRoot(...FOLDER, 'thread-source.js'), `export const THREAD_SOURCE = ${JSON.stringify(code)};\n`);
}

/** @param {string} input */
async function bundleThread(input) {
  const { output } = await build({
    input,
    cwd: inRoot(),
    platform: 'node',
    // A thread started from a string has no URL of its own; it gets its bundle's URL through `workerData`.
    transform: { define: { 'import.meta.url': '__ownUrl' } },
    onLog(level, log) {
      if (level === 'warn') throw new Error(`The bundler warns: ${log.message}`);
    },
    output: {
      format: 'cjs',
      codeSplitting: false,
      minify: true,
      // Node runs a string as a script or, with --input-type, as a module, which has no `require`.
      banner: `((require, exports) => { const { ownUrl: __ownUrl } = require('node:worker_threads').workerData;`,
      footer: `})(process.getBuiltinModule, {});`,
    },
    write: false,
  });
  const [chunk, ...others] = output;
  const outside = [...others.map(({ fileName }) => fileName), ...chunk.imports.filter((name) => !isBuiltin(name))];
  if (outside.length > 0) throw new Error(`The heartbeat thread is not one text: ${outside.join(', ')}`);
  return chunk.code;
}
