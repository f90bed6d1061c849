// @ts-check
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A path inside the repository. @param {string[]} parts */
export function inRoot(...parts) {
  return join(root, ...parts);
}

/** Reads the package's manifest. */
export function readManifest() {
  return JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
}
