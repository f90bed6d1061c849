// @ts-check
import { existsSync } from 'node:fs';
import { run } from '../run.mjs';

/**
 * Installs a Debian package unless its program is already there; only root can.
 *
 * @param {string} name
 * @param {() => string | undefined} find returns the path of the program, if it is there
 * @returns {Promise<string | undefined>} undefined, with the reason on stderr, if the package cannot be installed
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
