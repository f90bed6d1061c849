// @ts-check
/**
 * Bundles the built Codex server into the one file that the plugin's `plugin.json` names.
 *
 * The file contains SQLite for this machine, or for the machines given as arguments: `linux-x64-glibc darwin-arm64-glibc`.
 * The same sources produce the same bytes.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { bundle } from './build/single-file.mjs';
import { thisMachine } from './build/sqlite-addons.mjs';
import { root } from './root.mjs';

const PLUGIN = join(root, 'plugin', 'codex');

/** The path of the plugin's server, from its manifest. */
async function findEntry() {
  const manifest = JSON.parse(await readFile(join(PLUGIN, 'plugin.json'), 'utf8'));
  return join(PLUGIN, manifest.apps[0].ai.mcp.entry);
}

/**
 * Does not rewrite an unchanged file: workers distinguish builds by the file.
 *
 * @param {string} path
 * @param {string} text
 */
async function put(path, text) {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}`;
  try {
    await writeFile(part, text);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

const machines = process.argv.length > 2 ? process.argv.slice(2) : [thisMachine()];
const path = await findEntry();
const text = await bundle({ entry: join(root, 'dist', 'cli', 'codex-plugin.js'), machines });
await put(path, text);
const size = (Buffer.byteLength(text) / 2 ** 20).toFixed(1);
console.log(`${relative(root, path)}: ${size} MiB, with SQLite for ${machines.join(', ')}`);
