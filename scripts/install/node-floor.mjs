// @ts-check
// Runs before anything is installed, on any Node version: only old syntax and old built-ins here.
import { readManifest } from '../root.mjs';

/** Exits with one clear line if this Node is older than `engines` allows. */
export function requireNode() {
  const floor = readManifest().engines.node.replace('>=', '');
  if (isAtLeast(process.versions.node, floor)) return;
  console.error(`Holdfast needs Node ${floor} or newer; this is ${process.version}.`);
  process.exit(1);
}

/** @param {string} version @param {string} floor */
export function isAtLeast(version, floor) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [floorMajor = 0, floorMinor = 0] = floor.split('.').map(Number);
  return major > floorMajor || (major === floorMajor && minor >= floorMinor);
}
