// @ts-check
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { withLock } from '../lock.mjs';
import { inRoot, readManifest } from '../root.mjs';
import { npm } from '../run.mjs';

const STAMP = inRoot('node_modules', '.holdfast-installed');

/** Installs the dependencies unless exactly these are already installed. */
export async function install() {
  const wanted = await toStamp();
  if (await isInstalled(wanted)) return;
  await withLock(inRoot('.cache', 'install.lock'), async () => {
    if (await isInstalled(wanted)) return;
    console.log('Installing dependencies…');
    // Not `npm ci`: it refuses the lock file, which leaves out optional packages of other platforms.
    const args = ['install', '--no-save', '--no-audit', '--no-fund'];
    // The lock file fixes the versions, so npm may use its cache without revalidating; what it lacks it fetches. If that
    // fails, it runs again without `--prefer-offline`.
    const code = (await npm(...args, '--prefer-offline')) && (await npm(...args));
    if (code !== 0) throw new Error(`npm install failed with exit code ${code}; is the registry reachable?`);
    await writeFile(STAMP, wanted);
  });
}

/** @param {string} wanted */
async function isInstalled(wanted) {
  if (!existsSync(inRoot('node_modules', '.package-lock.json'))) return false;
  return (await readFile(STAMP, 'utf8').catch(() => '')) === wanted;
}

/**
 * A hash of what the installed tree depends on: the lock file, the manifest's dependencies, and the platform of native
 * modules.
 */
async function toStamp() {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = readManifest();
  const lock = await readFile(inRoot('package-lock.json'), 'utf8');
  return createHash('sha256')
    .update(JSON.stringify([lock, dependencies, devDependencies, optionalDependencies, peerDependencies]))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');
}
