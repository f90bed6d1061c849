import { execFile } from 'node:child_process';
import { chmod, rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { SqliteStoreOptions } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openRig, type Rig } from '../../engine/open-rig.ts';
import { programPath } from '../../programs/program-path.js';

const OPEN_STORE = programPath('open-store.js');
const NOBODY = { uid: 65534, gid: 65534, cwd: '/' };

/** What a user without rights gets to see of a store. */
async function openAsNobody(path: string, options: SqliteStoreOptions = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [OPEN_STORE, path, JSON.stringify(options)], NOBODY);
  return JSON.parse(stdout);
}

/** A store with one task, in a directory and files of these modes. */
async function makeStore(modes: { readonly folder: number; readonly file: number }): Promise<Rig> {
  const rig = await openRig();
  const engine = await rig.idleEngine({ report: { run: () => 1 } });
  await engine.submit('report');
  for (const end of ['', '-wal', '-shm']) await chmod(rig.path + end, modes.file);
  await chmod(rig.folder, modes.folder);
  return rig;
}

describe.runIf(process.getuid?.() === 0)('another user without rights', () => {
  it('[INPUT-12] is told what to check about a directory of mode 0700, and nothing changes', async () => {
    const { path } = await makeStore({ folder: 0o700, file: 0o600 });
    const before = await stat(path);
    for (const readOnly of [false, true]) {
      expect(await openAsNobody(path, { readOnly })).toEqual({
        code: 'STORE_NO_ACCESS',
        message: expect.stringMatching(
          `^${path}: .*check that it is a file, who owns it and its directory, and their modes$`,
        ),
      });
    }
    expect(await stat(path)).toMatchObject({ mtimeMs: before.mtimeMs, size: before.size, mode: before.mode });
  });

  it('[INPUT-12] gets the same for a file of mode 0600 in a directory anybody may enter', async () => {
    const { path } = await makeStore({ folder: 0o755, file: 0o600 });
    for (const readOnly of [false, true]) {
      expect(await openAsNobody(path, { readOnly })).toMatchObject({
        code: 'STORE_NO_ACCESS',
        message: expect.stringContaining('who owns it'),
      });
    }
  });

  it('[INPUT-09] may not write a file it can read; the advice to open it read-only is given where it works', async () => {
    const { path } = await makeStore({ folder: 0o777, file: 0o644 });
    expect(await openAsNobody(path)).toEqual({
      code: 'STORE_READ_ONLY',
      message: `${path} cannot be written by this user; make the file and its directory writable, or open it read-only`,
    });
    expect(await openAsNobody(path, { readOnly: true })).toEqual({ tools: ['report'] });
  });

  it('[INPUT-09] can read in a directory it may not write only while somebody else has the store open', async () => {
    const { path, store } = await makeStore({ folder: 0o755, file: 0o644 });
    expect(await openAsNobody(path)).toEqual({
      code: 'STORE_READ_ONLY',
      message: `${path} cannot be written by this user; make the file and its directory writable`,
    });
    expect(await openAsNobody(path, { readOnly: true })).toEqual({ tools: ['report'] });
    await store.close();
    // What a clean end removes; the package for Node 20 may keep both until the connection is collected.
    for (const end of ['-wal', '-shm']) await rm(path + end, { force: true });
    expect(await openAsNobody(path, { readOnly: true })).toEqual({
      code: 'STORE_NO_ACCESS',
      message: `${path} can be read by this user only while another process has it open; make its directory writable, or read a copy`,
    });
  });
});
