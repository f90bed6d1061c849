import { spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HTTP_TOKEN } from '../../../src/server/http/token.ts';
import { SEAL_KEY } from '../../../src/server/secrets/seal.ts';
import { openSecret } from '../../../src/server/secrets/shared-secret.ts';
import { programPath } from '../../programs/program-path.js';
import { openSession } from '../../server/open-http.ts';
import { openSessions, useSession } from '../http/open-sessions.ts';

const OPEN_SECRET = programPath('open-secret.js');

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-secret-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const warnings: string[] = [];
  return { folder, warnings, warn: (warning: string) => void warnings.push(warning) };
}

/** The key as several processes get it that open it at the same moment. */
async function race(folder: string, count: number): Promise<string[]> {
  const programs = Array.from({ length: count }, () =>
    spawn(process.execPath, [OPEN_SECRET, folder], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const answers = programs.map(({ stdout }) => text(stdout));
  for (const { stdin } of programs) stdin.end('go');
  return Promise.all(answers);
}

describe.each([
  ['server.key', SEAL_KEY],
  ['http.token', HTTP_TOKEN],
])('%s', (file, secret) => {
  it('[SEC-240] is made once, whole, for its owner alone, and nothing else is left', async () => {
    const { folder, warnings, warn } = await openFolder();
    const first = await openSecret({ directory: folder }, secret, warn);
    expect(await openSecret({ directory: folder }, secret, warn)).toEqual(first);
    expect(await readdir(folder)).toEqual([file]);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['empty', 0],
    ['half-written', 7],
    ['much too long', 100_000],
  ])('[SEC-240] that is %s is replaced, with a warning', async (_, bytes) => {
    const { folder, warnings, warn } = await openFolder();
    await writeFile(join(folder, file), 'x'.repeat(bytes), { mode: 0o600 });
    const made = await openSecret({ directory: folder }, secret, warn);
    expect(secret.isWhole(made)).toBe(true);
    expect(await readFile(join(folder, file))).toEqual(made);
    expect(warnings).toEqual([expect.stringContaining(`${file} is empty or damaged; it is replaced`)]);
  });

  it('[SEC-241] that others could have read is replaced, with a warning', async () => {
    const { folder, warnings, warn } = await openFolder();
    const known = await openSecret({ directory: folder }, secret, warn);
    await chmod(join(folder, file), 0o644);
    expect(await openSecret({ directory: folder }, secret, warn)).not.toEqual(known);
    expect(warnings).toEqual([expect.stringContaining('could be read by other users')]);
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  });

  it('[SEC-241] is not followed where it is a link, and what the link names stays as it is', async () => {
    const { folder, warn } = await openFolder();
    const elsewhere = join((await openFolder()).folder, 'known');
    for (const content of [secret.make(), Buffer.from('')]) {
      await writeFile(elsewhere, content, { mode: 0o600 });
      await rm(join(folder, file), { force: true });
      await symlink(elsewhere, join(folder, file));
      await expect(openSecret({ directory: folder }, secret, warn)).rejects.toMatchObject({
        code: 'STORE_NO_ACCESS',
        message: expect.stringContaining('is a link; remove it'),
      });
      expect(await readFile(elsewhere)).toEqual(content);
    }
  });

  it.runIf(process.getuid?.() === 0)('[SEC-241] of another user is not taken', async () => {
    const { folder, warn } = await openFolder();
    await writeFile(join(folder, file), secret.make(), { mode: 0o600 });
    await chown(join(folder, file), 65534, 65534);
    await expect(openSecret({ directory: folder }, secret, warn)).rejects.toMatchObject({
      code: 'STORE_NO_ACCESS',
      message: expect.stringContaining('belongs to another user'),
    });
  });
});

describe('several processes', () => {
  it.each([
    ['is missing', undefined],
    ['is damaged', 'half'],
  ])('[SEC-242] that need a key which %s all get the same', async (_, content) => {
    const { folder } = await openFolder();
    if (content !== undefined) await writeFile(join(folder, 'server.key'), content, { mode: 0o600 });
    const keys = await race(folder, 6);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBe((await readFile(join(folder, 'server.key'))).toString('hex'));
  });
});

describe('a server', () => {
  it('[SEC-240] whose key was lost half-way starts, and shares the new one with the next', async () => {
    const rig = await openSessions();
    await writeFile(join(rig.directory, 'server.key'), '', { mode: 0o600 });
    const [first, second] = [await rig.serve(), await rig.serve()];
    const headers = await openSession(first.url);
    expect(await useSession(second.url, headers)).toBe(200);
    expect((await stat(join(rig.directory, 'server.key'))).size).toBe(32);
  });
});
