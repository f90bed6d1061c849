/** Programs that a run, or whoever fills a working directory, has left where programs are looked for. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { until } from 'holdfast/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { toCodexEnvironment } from '../../../src/apps/codex/codex-environment.ts';
import { findCommand, listFolders } from '../../../src/process/find-command.ts';
import { endGroup, spawnGated } from '../../../src/process/process-group.ts';
import { openCodexSite } from '../../apps/codex/codex-site.ts';
import { FAKE_CODEX } from '../../apps/codex/open-codex.ts';

const LINE = { stream: false };
const RELATIVE = ['', '.', 'bin', './bin', '../bin'];

let dir = '';

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-path-')));
  onTestFinished(() => rm(dir, { recursive: true }));
});

/** A program that says by a file that it has run. */
async function plant(folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const mark = join(dir, `${name}-ran`);
  await writeFile(join(folder, name), `#!/bin/sh\n: > '${mark}'\n`);
  await chmod(join(folder, name), 0o755);
  return mark;
}

describe('a relative entry of PATH', () => {
  it('[SEC-170] is not looked for in the directory that a program is started in', async () => {
    for (const folder of RELATIVE) await plant(join(dir, 'work', folder), 'planted');
    const cwd = join(dir, 'work');
    for (const path of [...RELATIVE, RELATIVE.join(delimiter), `:${RELATIVE.join(delimiter)}:`]) {
      await expect(findCommand('planted', { cwd, path }), path).rejects.toThrow('it was not found on PATH');
      await expect(spawnGated('planted', [], { cwd, env: { PATH: path } }), path).rejects.toThrow('not found on PATH');
    }
    expect(listFolders(`.${delimiter}/usr/bin${delimiter}`)).toEqual(['/usr/bin']);
  });

  it('[SEC-170] does not hide an absolute one behind it', async () => {
    const mark = await plant(join(dir, 'bin'), 'planted');
    const path = `.${delimiter}${join(dir, 'bin')}`;
    const { ref, release } = await spawnGated('planted', [], { cwd: dir, env: { PATH: path } });
    onTestFinished(async () => void (await endGroup(ref, { graceMs: 0 })));
    release();
    await until(() => existsSync(mark));
  });

  it('[SEC-170] finds no codex, and no interpreter of it, in the directory that a call chose', async () => {
    const site = await openCodexSite();
    const marks = await Promise.all(['codex', 'node', 'env'].map((name) => plant(site.project, name)));
    const usual = `${dirname(process.execPath)}${delimiter}/usr/bin${delimiter}/bin`;
    const env = { PATH: `${delimiter}.${delimiter}${usual}`, HOLDFAST_CODEX: '' };
    const server = await site.startIn(site.project, { env });
    expect((await server.run('anything', LINE)).error?.message).toContain('install it with npm i -g');
    await server.kill();
    const named = await site.startIn(site.project, { args: ['--codex', FAKE_CODEX], env });
    expect(await named.run('anything', LINE)).toMatchObject({ result: { content: [{ text: 'did: anything' }] } });
    expect(marks.filter((mark) => existsSync(mark))).toEqual([]);
  });
});

describe('a directory of PATH that runs can write to', () => {
  it('[SEC-171] is no place to find codex, or its interpreter, in any directory of the root', async () => {
    const site = await openCodexSite();
    const folder = join(site.project, 'node_modules', '.bin');
    const marks = await Promise.all(['codex', 'node'].map((name) => plant(folder, name)));
    const below = join(site.project, 'below');
    await mkdir(below);
    const usual = `${dirname(process.execPath)}${delimiter}/usr/bin${delimiter}/bin`;
    const PATH = `${folder}${delimiter}${usual}`;
    const server = await site.startIn(site.project, { env: { PATH, HOLDFAST_CODEX: '' } });
    const { error } = await server.run('anything', { workdir: below, ...LINE });
    expect(error?.message).toContain('install it with npm i -g');
    await server.kill();
    const named = await site.startIn(site.project, { args: ['--codex', FAKE_CODEX], env: { PATH } });
    expect(await named.run('anything', { workdir: below, ...LINE })).toMatchObject({
      result: { content: [{ text: 'did: anything' }] },
    });
    expect(marks.filter((mark) => existsSync(mark))).toEqual([]);
  });

  it('[SEC-171] is left out behind its links too, and an empty PATH never comes of it', async () => {
    await mkdir(join(dir, 'root', 'bin'), { recursive: true });
    await symlink(join(dir, 'root', 'bin'), join(dir, 'link'));
    const list = [join(dir, 'link'), join(dir, 'root', 'missing'), '.', ''].join(delimiter);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PATH', list);
    // An empty entry of these is the working directory too, and a module named here is looked for there.
    vi.stubEnv('LD_LIBRARY_PATH', list);
    vi.stubEnv('NODE_PATH', `${list}${delimiter}/opt/modules`);
    vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=512 --require dotenv/config');
    const { PATH, LD_LIBRARY_PATH, NODE_PATH, NODE_OPTIONS } = await toCodexEnvironment([join(dir, 'root')]);
    expect(PATH?.split(delimiter)).toEqual(['/usr/local/bin', '/usr/bin', '/bin']);
    expect({ LD_LIBRARY_PATH, NODE_PATH, NODE_OPTIONS }).toEqual({ NODE_PATH: '/opt/modules' });
  });
});
