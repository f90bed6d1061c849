// @ts-check
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { inRoot } from '../root.mjs';

const PREBUILDS = inRoot('node_modules', '@photostructure', 'sqlite', 'prebuilds');

// Higher levels take seconds and save little.
const QUALITY = 5;

/** The name of this machine, in the naming scheme of the addons. */
export function thisMachine() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  const isMusl = process.platform === 'linux' && header.glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}-${isMusl ? 'musl' : 'glibc'}`;
}

/**
 * The native SQLite of each machine, in the form that `src/sqlite/embedded-addon.ts` expects.
 *
 * @param {readonly string[]} machines
 * @returns {Promise<Record<string, import('../../src/sqlite/embedded-addon.ts').EmbeddedAddon>>}
 */
export async function packAddons(machines) {
  const packed = [...new Set(machines)].sort().map(async (machine) => [machine, await pack(machine)]);
  return Object.fromEntries(await Promise.all(packed));
}

/** @param {string} machine */
async function pack(machine) {
  const [, folder = '', libc = ''] = /^(.+)-([^-]+)$/.exec(machine) ?? [];
  const path = join(PREBUILDS, folder, `@photostructure+sqlite.${libc}.node`);
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) throw new Error(`No SQLite for ${machine}; there is ${(await listMachines()).join(', ')}`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    packed: brotliCompressSync(bytes, { params }).toString('base64'),
  };
}

async function listMachines() {
  const files = await readdir(PREBUILDS, { recursive: true });
  const machines = files.flatMap((file) => {
    const [, folder, libc] = /^(.+)[/\\].+\.(\w+)\.node$/.exec(file) ?? [];
    return folder === undefined ? [] : [`${folder}-${libc}`];
  });
  return machines.sort();
}
