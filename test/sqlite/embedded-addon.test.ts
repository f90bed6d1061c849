import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { packAddons, thisMachine } from '../../scripts/build/sqlite-addons.mjs';
import { type EmbeddedAddon, loadEmbeddedAddon, unpack } from '../../src/sqlite/embedded-addon.ts';
import { Scratch } from './scratch.ts';

const BYTES = Buffer.from('native code');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const ADDON: EmbeddedAddon = { sha256: SHA256, packed: brotliCompressSync(BYTES).toString('base64') };

const scratch = new Scratch();
afterEach(() => vi.unstubAllEnvs());

describe('native code that travels in a program', () => {
  it('[PLUGIN-05] is unpacked once, for the user alone', async () => {
    const directory = scratch.path('cache', 'holdfast');
    const path = unpack(ADDON, directory);
    const { ino, mode } = await stat(path);
    expect(await readFile(path)).toEqual(BYTES);
    expect(mode & 0o777).toBe(0o700);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(unpack(ADDON, directory)).toBe(path);
    expect((await stat(path)).ino).toBe(ino);
    expect(await readdir(directory)).toHaveLength(1);
  });

  it('[PLUGIN-05] is unpacked again when the file is not what it was', async () => {
    const path = unpack(ADDON, scratch.path('cache'));
    await writeFile(path, 'something else');
    expect(await readFile(unpack(ADDON, scratch.path('cache')))).toEqual(BYTES);
  });

  it('[PLUGIN-05] is refused when its checksum is another', async () => {
    const forged = { ...ADDON, sha256: SHA256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) };
    expect(() => unpack(forged, scratch.path('cache'))).toThrow(/checksum/);
  });

  it('[PLUGIN-05] is not put where others may write', async () => {
    await mkdir(scratch.path('shared'));
    await chmod(scratch.path('shared'), 0o777);
    expect(() => unpack(ADDON, scratch.path('shared'))).toThrow(/others may write/);
    expect(await readdir(scratch.path('shared'))).toEqual([]);
  });

  it('[PLUGIN-05] is not put where a link leads', async () => {
    await mkdir(scratch.path('own'), { mode: 0o700 });
    await symlink(scratch.path('own'), scratch.path('link'));
    expect(() => unpack(ADDON, scratch.path('link'))).toThrow(/no directory/);
    expect(await readdir(scratch.path('own'))).toEqual([]);
  });

  it('[PLUGIN-05] names the machines it is for on any other, and the way out', () => {
    expect(() => loadEmbeddedAddon({ 'plan9-mips-glibc': ADDON })).toThrow(
      new RegExp(`for plan9-mips-glibc, not for ${thisMachine()}; use Node 22`),
    );
  });

  it('[PLUGIN-05] is loaded from a temporary directory of the user when there can be no cache', async () => {
    await writeFile(scratch.path('file'), '');
    vi.stubEnv('XDG_CACHE_HOME', scratch.path('file'));
    vi.stubEnv('TMPDIR', scratch.directory);
    const addon = loadEmbeddedAddon(await packAddons([thisMachine()])) as { DatabaseSync?: unknown };
    expect(addon.DatabaseSync).toBeTypeOf('function');
    expect(await readdir(scratch.path(`holdfast-${process.getuid?.()}`))).toHaveLength(1);
  });

  it('[PLUGIN-05] says of every place why it would not do', async () => {
    await writeFile(scratch.path('file'), '');
    vi.stubEnv('XDG_CACHE_HOME', scratch.path('file'));
    vi.stubEnv('TMPDIR', scratch.path('file'));
    expect(() => loadEmbeddedAddon({ [thisMachine()]: ADDON })).toThrow(/cannot be unpacked.*ENOTDIR.*ENOTDIR/);
  });
});
