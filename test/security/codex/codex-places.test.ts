/** A client that wants Codex to work, and so to write, where the owner did not say. */
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { checkProcessDirectory } from '../../../src/apps/codex/work-places.ts';
import { endGroup, spawnGated } from '../../../src/process/process-group.ts';
import { type CodexSite, openCodexSite } from '../../apps/codex/codex-site.ts';

const REFUSED = { code: -32602, message: expect.stringContaining('--root') };
const LONG = { timeoutMs: 60_000 };
const LINE = { stream: false };

async function openFolders(site: CodexSite, ...names: string[]): Promise<string[]> {
  const folders = names.map((name) => join(site.dir, name));
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
  return folders;
}

describe('a working directory that a call names', () => {
  it('[SEC-150] is refused outside the roots, whichever field names it and however it is spelled', async () => {
    const site = await openCodexSite();
    const [outside = ''] = await openFolders(site, 'outside');
    await symlink(outside, join(site.project, 'way-out'));
    const server = await site.start();
    const paths = ['/', '/etc', outside, `${site.project}/../outside`, join(site.project, 'way-out'), '../outside'];
    for (const path of paths) {
      const fields = ['projectRoot', 'sessionRoot', 'workdir'].map((name) => ({ chatos: { uiApp: { [name]: path } } }));
      for (const meta of [{ workdir: path, ...LINE }, ...fields.map((field) => ({ ...field, taskId: `t${path}` }))]) {
        // Were it run, it would leave nothing in places that are not ours.
        expect((await server.run('silent!', meta)).error, path).toMatchObject(REFUSED);
      }
      const params = { name: 'codex_app_create_window', arguments: { workingDirectory: path } };
      const { result } = await server.request('tools/call', params);
      expect(result, path).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('--root') }] });
    }
    expect(site.executions()).toEqual([]);
  });

  it('[SEC-150] tells nobody what there is outside the roots', async () => {
    const site = await openCodexSite();
    await writeFile(join(site.dir, 'a-file'), '');
    const server = await site.start();
    const ask = async (path: string) => (await server.run('x', { workdir: path, ...LINE })).error?.message ?? '';
    const said = await Promise.all(['a-file', 'nothing', 'state'].map((name) => ask(join(site.dir, name))));
    expect(new Set(said.map((text) => text.replace(/a-file|nothing|state/, 'X'))).size).toBe(1);
    const endless = await ask(`/${'x'.repeat(100_000)}`);
    expect(endless).toContain('expected');
    expect(endless.length).toBeLessThan(1000);
  });

  it('[SEC-151] is free inside each root that the owner gave, by option or config', async () => {
    const site = await openCodexSite();
    const [one = '', two = '', three = ''] = await openFolders(site, 'one/below', 'two', 'three');
    const config = join(site.dir, 'config', 'codex.json');
    await mkdir(join(site.dir, 'config'));
    await writeFile(config, JSON.stringify({ roots: [three] }));
    const server = await site.start('--root', join(site.dir, 'one'), '--root=../two', '--config', config);
    for (const workdir of [one, two, three, site.project]) {
      const { result } = await server.run('anything', { workdir, ...LINE });
      expect(result, workdir).toMatchObject({ content: [{ text: 'did: anything' }] });
    }
    expect(site.executions().map(({ cwd }) => cwd)).toEqual([one, two, three, site.project]);
    expect((await server.run('anything', { workdir: site.dir, ...LINE })).error).toMatchObject(REFUSED);
  });

  it('[SEC-153] is looked at again when its turn has come: one that became a link is not followed', async () => {
    const site = await openCodexSite();
    const [outside = ''] = await openFolders(site, 'outside');
    const workdir = join(site.project, 'sub');
    await mkdir(workdir);
    const server = await site.start();
    await server.run('hangs! first', { workdir, stream: true });
    await until(() => site.executions().length === 1, { what: 'the first run', ...LONG });
    const second = server.run('second', { workdir, ...LINE });
    const isQueued = async () => (await site.store.tasks.list({ limit: 10 })).tasks.length === 2;
    await until(isQueued, { what: 'the second run to wait', ...LONG });
    await rename(workdir, join(site.project, 'moved'));
    await symlink(outside, workdir);
    for (const folder of [outside, join(site.project, 'moved')]) await writeFile(join(folder, 'go'), '');
    expect((await second).error?.message).toContain('--root');
    expect(site.executions().map(({ cwd }) => cwd)).toEqual([workdir]);
  });

  it('[SEC-153] is compared with where the process really is, before that has been told what to do', async () => {
    const site = await openCodexSite();
    const [outside = ''] = await openFolders(site, 'outside');
    const workdir = join(site.project, 'sub');
    await symlink(outside, workdir);
    const { ref } = await spawnGated('cat', [], { cwd: workdir });
    try {
      await expect(checkProcessDirectory(ref.pid, workdir)).rejects.toThrow('was replaced by another');
      await expect(checkProcessDirectory(ref.pid, outside)).resolves.toBeUndefined();
    } finally {
      await endGroup(ref, { graceMs: 0 });
    }
  });
});
