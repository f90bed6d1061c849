// @ts-check
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../lock.mjs';
import { inRoot } from '../root.mjs';
import { npm } from '../run.mjs';

/**
 * An npm package and an exact version.
 *
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} version
 * @property {Readonly<Record<string, string>>} [overrides] exact versions of dependencies, if the declared ones cannot be
 * fetched
 */

/**
 * Fetches a third-party tool that is too heavy or too new for a dev dependency.
 *
 * It is installed once into `.cache/tools`, without running install scripts, and appears there atomically.
 *
 * @param {Tool} tool
 * @returns {Promise<string>} the folder that holds its `node_modules`
 */
export async function fetchTool({ name, version, overrides }) {
  const folder = inRoot('.cache', 'tools', `${name.replaceAll('/', '+')}@${version}`);
  if (existsSync(folder)) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await fetchInto(folder, `${name}@${version}`, overrides);
  });
  return folder;
}

/** @param {string} folder @param {string} spec @param {Tool['overrides']} overrides */
async function fetchInto(folder, spec, overrides) {
  const partial = `${folder}.partial-${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  if (overrides) await writeFile(join(partial, 'package.json'), JSON.stringify({ private: true, overrides }));
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  try {
    const code = await npm('install', '--prefix', partial, ...flags, spec);
    if (code !== 0) {
      throw new Error(`Could not fetch ${spec}: npm install failed with exit code ${code}; is the registry reachable?`);
    }
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
