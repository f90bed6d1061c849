import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { builtPath } from '../../programs/program-path.js';
import { hashByHand, openScene, texts, untilOpen } from './open-scene.ts';

const run = promisify(execFile);
const MAIN = builtPath('cli/main.js');
const NOBODY = { uid: 65534, gid: 65534, cwd: '/' };

describe('a path that cannot be synced', () => {
  it('[MON-20] that is missing and was never known is an error with its name', async () => {
    const { monitor, at } = await openScene();
    expect(await monitor.sync({ path: at('nowhere') })).toEqual({
      success: false,
      data: {},
      messages: [
        { type: 'error', text: `${at('nowhere')} does not exist, and nothing is known of it`, details: at('nowhere') },
      ],
    });
  });

  it.each(['relative/path', '', 'http://example.com/a', 'file://elsewhere/a', '~user/a'])(
    '[MON-20] %j is no path, and the message says what is one',
    async (path) => {
      const { monitor } = await openScene();
      await expect(monitor.sync({ path })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('expected an absolute path'),
      });
    },
  );

  it('[MON-21] outside the allowed roots is refused, by whatever way it is named', async () => {
    const { monitor, tree, at, configure, rows } = await openScene({ 'in/a.txt': 'a', 'out/b.txt': 'b' });
    await symlink(at('out'), at('in/link'));
    await configure({ allowed_roots: [at('in')] });
    for (const path of [tree, at('out/b.txt'), at('inner'), `${at('in')}/../out`, at('in/link'), at('in/link/b.txt')]) {
      const result = await monitor.sync({ path, recursive: true });
      expect(result).toMatchObject({ success: false, data: {} });
      expect(texts(result, 'error')).toEqual([
        expect.stringContaining(`it lies outside the allowed roots; expected: ${at('in')}`),
      ]);
    }
    expect(await monitor.sync({ path: at('in'), recursive: true })).toMatchObject({ success: true });
    expect(rows().map(({ path }) => path)).toEqual([at('in/a.txt')]);
  });

  it('[MON-21] an allowed root may itself lie behind a link', async () => {
    const { monitor, at, configure } = await openScene({ 'in/a.txt': 'a' });
    await symlink(at('in'), at('link'));
    await configure({ allowed_roots: [at('link')] });
    expect(await monitor.sync({ path: at('link') })).toMatchObject({ success: true, data: { files_updated: 1 } });
  });

  it('[MON-22] that is a link to itself, a link to nothing, or a pipe is refused by name', async () => {
    const { monitor, at } = await openScene();
    await symlink(at('loop'), at('loop'));
    await symlink(at('nothing'), at('dangling'));
    await run('mkfifo', [at('pipe')]);
    const reason = async (name: string) => texts(await monitor.sync({ path: at(name) }), 'error')[0];
    expect(await reason('loop')).toContain('it is a symbolic link that leads back to itself');
    expect(await reason('dangling')).toContain('it cannot be read (ENOENT)');
    expect(await reason('pipe')).toContain('it is neither a file nor a directory');
  });
});

describe('a tree with odd things in it', () => {
  it('[MON-22] links are not followed, and those that lead in circles are named', async () => {
    const { sync, at, rows, tree } = await openScene({ 'a/b/c.txt': 'c', 'x.txt': 'x' });
    await symlink(at('a'), at('a/b/up'));
    await symlink('.', at('a/here'));
    await symlink(at('two'), at('one'));
    await symlink(at('one'), at('two'));
    await symlink(at('x.txt'), at('to-a-file'));
    await symlink('/', at('to-the-root'));
    await symlink(at('a'), at('to-a-directory'));
    const result = await sync();
    expect(result).toMatchObject({ success: true, data: { files_processed: 2, files_updated: 2 } });
    const loops = ['a/b/up', 'a/here', 'one', 'two', 'to-the-root'];
    expect(texts(result, 'warning').toSorted()).toEqual(
      loops.map((name) => `${at(name)}: is a symbolic link that leads back to itself; not followed`).toSorted(),
    );
    expect(texts(result, 'info')).toEqual(['Symbolic links are not followed: 7 left out']);
    expect(new Map(rows().map(({ path, checksum }) => [path, checksum]))).toEqual(await hashByHand(tree));
  });

  it('[MON-23] names of 255 bytes, with line breaks, or of no character set are kept apart and found again', async () => {
    const { counts, tree, at } = await openScene({ 'caf\u00e9': 'utf-8', '\uFFFD': 'itself', 'two\nlines': '2' });
    const raw = (name: string) => Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, 'latin1')]);
    await writeFile(at('x'.repeat(255)), 'long');
    await writeFile(raw('caf\u00e9'), 'latin 1');
    await writeFile(raw('\u00ff\u00fe'), 'bytes');
    await mkdir(raw('d\u00ff'));
    await writeFile(raw('d\u00ff/\u00fe'), 'bytes in bytes');
    expect(await counts()).toMatchObject({ files_processed: 7, files_updated: 7, files_hashed: 7 });
    expect(await counts()).toMatchObject({ files_processed: 7, files_unchanged: 7, files_hashed: 0 });
    await rm(raw('\u00ff\u00fe'));
    await rm(raw('d\u00ff'), { recursive: true });
    expect(await counts()).toMatchObject({ files_processed: 5, files_unchanged: 5, files_removed: 2 });
  });

  it('[MON-23] a directory too deep to be named is named as far as it goes, and the rest is synced', async () => {
    const { sync, tree, rows, at } = await openScene({ 'a.txt': 'a' });
    const name = 'd'.repeat(250);
    const nest = `cd "$0"; for i in $(seq 20); do mkdir ${name}; cd ${name}; echo > f; done`;
    await run('sh', ['-c', nest, tree]);
    // Node cannot remove what it cannot name.
    onTestFinished(async () => void (await run('rm', ['-rf', tree])));
    const result = await sync();
    expect(result).toMatchObject({ success: true, data: { files_processed: rows().length } });
    expect(texts(result, 'warning')).toEqual([
      expect.stringMatching(/d: the directory cannot be read \(ENAMETOOLONG\)/),
    ]);
    expect(rows()[0]?.path).toBe(at('a.txt'));
    expect(rows().length).toBeGreaterThan(10);
  });

  it('[MON-24] a file that changes while it is hashed is named, and taken up by the next sync', async () => {
    const { sync, counts, at, rows } = await openScene({ 'a.txt': 'a', 'large.bin': '' });
    await counts();
    await truncate(at('large.bin'), 2 ** 30);
    const under = sync();
    await untilOpen(at('large.bin'));
    await appendFile(at('large.bin'), 'more');
    const result = await under;
    expect(result).toMatchObject({
      success: true,
      data: { files_unchanged: 1, files_unreadable: 1, files_skipped: 2 },
    });
    const warning = `${at('large.bin')}: changed while it was hashed; the next sync takes it up`;
    expect(texts(result, 'warning')).toEqual([warning]);
    expect(rows()).toMatchObject([{ bytes: 1 }, { bytes: 0 }]);
    await truncate(at('large.bin'), 10);
    expect(await counts()).toMatchObject({ files_updated: 1 });
    expect(rows()).toMatchObject([{ bytes: 1 }, { bytes: 10 }]);
  });

  it('[MON-25] directories and files that vanish meanwhile are named, and the rest is synced', async () => {
    const { sync, counts, at, rows, write, tree } = await openScene();
    const names = Array.from({ length: 400 }, (_, at) => `doomed/${at}/${at}.txt`);
    await write(Object.fromEntries([...names, 'stays/a.txt'].map((name) => [name, name])));
    let removing: Promise<void> | undefined;
    // Every batch waits for it, so the walk stands still a few directories ahead.
    const onProgress = () => {
      removing ??= rm(at('doomed'), { recursive: true });
      return removing;
    };
    const result = await sync({ onProgress });
    expect(result).toMatchObject({ success: true });
    const warnings = texts(result, 'warning');
    expect(warnings).toContainEqual(expect.stringMatching(/doomed\/\d+: vanished while it was scanned$/));
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toMatch(/^\d+ more warnings are not shown$/);
    expect(rows().map(({ path }) => path)).toContain(at('stays/a.txt'));
    await counts();
    expect(new Map(rows().map(({ path, checksum }) => [path, checksum]))).toEqual(await hashByHand(tree));
  });
});

describe.runIf(process.getuid?.() === 0)('a user without rights', () => {
  it('[MON-26] is told what it cannot read, syncs the rest, and loses nothing that was known', async () => {
    const { folder, tree, at } = await openScene({
      'a.txt': 'a',
      'secret.txt': 's',
      'closed/b.txt': 'b',
      'z.txt': 'z',
    });
    await chmod(folder, 0o777);
    const sync = async () => {
      const places = ['--db', join(folder, 'own.db'), '--config', join(folder, 'own.json')];
      const { stdout } = await run(
        process.execPath,
        [MAIN, 'monitor', 'sync', tree, '-r', '--json', ...places],
        NOBODY,
      );
      return JSON.parse(stdout);
    };
    expect(await sync()).toMatchObject({ success: true, data: { files_updated: 4 } });
    await chmod(at('secret.txt'), 0o600);
    await writeFile(at('secret.txt'), 'changed');
    await chmod(at('closed'), 0o700);
    const result = await sync();
    expect(result).toMatchObject({
      success: true,
      data: {
        files_processed: 3,
        files_unchanged: 2,
        files_unreadable: 1,
        directories_unreadable: 1,
        files_removed: 0,
      },
    });
    expect(texts(result, 'success')).toEqual(['Sync completed without 1 file and 1 directory that could not be read']);
    expect(texts(result, 'warning').toSorted()).toEqual([
      `${at('closed')}: the directory cannot be read (EACCES); what is known of it stays`,
      `${at('secret.txt')}: cannot be read (EACCES)`,
    ]);
    await chmod(at('secret.txt'), 0o644);
    await chmod(at('closed'), 0o755);
    expect(await sync()).toMatchObject({ data: { files_processed: 4, files_unchanged: 3, files_updated: 1 } });
  });
});

describe('a config that is wrong', () => {
  it('[MON-02] ends the command with its field, its value and what is expected', async () => {
    const { config, configure, database, tree } = await openScene();
    await configure({ max_documents: 'many' });
    const places = ['--db', database, '--config', config];
    const { code, stdout, stderr } = await runCli(['monitor', 'sync', tree, ...places]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `holdfast: config ${config}: max_documents is "many"; expected a whole number from 0 up; 0 is without limit\n`,
    );
  });
});
