// @ts-check
import { existsSync } from 'node:fs';
import { run } from '../run.mjs';

/**
 * Installs a package of Debian when what it holds is not there yet; only root can.
 *
 * @param {string} name
 * @param {() => string | undefined} find where the program lies, if it does
 * @returns {Promise<string | undefined>} nothing, and a line on stderr that says why, where it cannot be had
 */
export async function fetchDebianPackage(name, find) {
  const found = find();
  if (found !== undefined) return found;
  const isPossible = existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
  if (isPossible && (await install(name)) === 0) return find();
  const why = isPossible ? 'apt-get failed' : 'only root on Debian can install it';
  console.error(`SKIPPED: what needs the Debian package ${name} is not tested: it is not there, and ${why}`);
  return undefined;
}

/** @param {string} name */
async function install(name) {
  const known = await run('apt-get', ['update', '-q']);
  return known === 0 ? run('apt-get', ['install', '-yq', '--no-install-recommends', name]) : known;
}
