/** Trees that were made to keep a monitor busy, or to speak to the terminal of whoever runs it. */
import { execFile } from 'node:child_process';
import { symlink, truncate, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openScene, texts, untilOpen } from '../../apps/monitor/open-scene.ts';
import { runCli } from '../../cli/run-cli.ts';

const run = promisify(execFile);

describe('a hostile tree', () => {
  it('[SEC-393] a file that grows while it is hashed is given up at the size it had', async () => {
    const { sync, at, rows } = await openScene({ 'a.txt': 'a' });
    await writeFile(at('endless.bin'), '');
    await truncate(at('endless.bin'), 2 ** 30);
    const under = sync();
    await untilOpen(at('endless.bin'));
    // To its end it would take hours.
    await truncate(at('endless.bin'), 2 ** 40);
    const result = await under;
    expect(texts(result, 'warning')).toEqual([
      `${at('endless.bin')}: changed while it was hashed; the next sync takes it up`,
    ]);
    expect(rows().map(({ path }) => path)).toEqual([at('a.txt')]);
  });

  it('[SEC-393] pipes are not waited for, whatever they are called', async () => {
    const { counts, at } = await openScene({ 'a.txt': 'a' });
    await run('mkfifo', [at('pipe'), at('pipe.txt')]);
    expect(await counts()).toMatchObject({ files_processed: 1, files_updated: 1 });
  });

  it('[SEC-393] a config that lies in the tree is a file like any other', async () => {
    const everything = JSON.stringify({ filter: { exclude_globs: ['*'] }, allowed_roots: [] });
    const { counts } = await openScene({ 'monitor.json': everything, 'holdfast.json': everything, 'a.txt': 'a' });
    expect(await counts()).toMatchObject({ files_updated: 3, files_excluded: 0 });
  });

  it('[SEC-389] names that a terminal would obey are shown, on stdout and stderr, and the JSON is the same', async () => {
    const { tree, at, database, config } = await openScene();
    const name = 'x\u001b]52;c;ZXZpbA==\u0007\u009b31m\u202etxt.exe\r\n';
    await symlink(name, at(name));
    const { code, stdout, stderr } = await runCli(['monitor', 'sync', tree, '--db', database, '--config', config]);
    expect(code).toBe(0);
    for (const text of [stdout, stderr]) {
      expect(text).toContain('52;c;ZXZpbA');
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect(texts(JSON.parse(stdout), 'warning')).toEqual([
      `${at(name)}: is a symbolic link that leads back to itself; not followed`,
    ]);
  });
});
