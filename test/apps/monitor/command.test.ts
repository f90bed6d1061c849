import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runCli, startCli } from '../../cli/run-cli.ts';
import { runHere } from '../../cli/run-here.ts';
import { runCommand } from '../../pins/run-command.ts';
import { builtPath } from '../../programs/program-path.js';
import { openScene, type Scene } from './open-scene.ts';

const MAIN = builtPath('cli/main.js');

const toPlaces = ({ database, config }: Scene) => ['--db', database, '--config', config];

describe('holdfast monitor sync', () => {
  it('[MON-17] prints JSON on stdout and plain lines of progress on stderr', async () => {
    const scene = await openScene({ 'a.txt': 'a', 'sub/b.txt': 'b' });
    const { code, stdout, stderr } = await runCli(['monitor', 'sync', scene.tree, '--recursive', ...toPlaces(scene)]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { files_processed: 2, files_updated: 2 } });
    expect(stderr).toMatch(/^(Processing \d of 2 files\.\.\.\n)+success: Sync completed successfully\n$/);
  });

  it('[MON-17] draws a bar when stderr is a terminal', async () => {
    const { createProgressLine } = await import('../../../src/cli/terminal/progress-line.ts');
    const written: string[] = [];
    const stream = { isTTY: true, columns: 60, write: (piece: string) => written.push(piece) };
    const line = createProgressLine({ json: false, remark() {} }, stream as unknown as NodeJS.WriteStream & { fd: 2 });
    line.show(0.5, 'Processing 1 of 2 files...');
    line.end();
    const erase = '\r\u001b[2K';
    const bar = `[${'#'.repeat(15)}${'-'.repeat(15)}] 50% Processing 1 of 2 files...`;
    expect(written).toEqual([`${erase}${bar.slice(0, 59)}`, erase]);
  });

  it('[MON-17] says on one line of JSON, with --json, what it would say otherwise', async () => {
    const scene = await openScene({ 'a.txt': 'a' });
    const { code, stdout, stderr } = await runHere(['monitor', 'sync', scene.tree, '--json', ...toPlaces(scene)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it('[MON-17] ends with 1 and an error on stderr for a path that is not there', async () => {
    const scene = await openScene();
    const path = scene.at('nowhere');
    const { code, stdout, stderr } = await runHere(['monitor', 'sync', path, ...toPlaces(scene)]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, data: {} });
    expect(stderr).toBe(`error: ${path} does not exist, and nothing is known of it\n`);
  });

  it('[MON-18] is cancelled by SIGINT half way, says so, and what is done stays', async () => {
    const scene = await openScene();
    const names = Array.from({ length: 6_000 }, (_, at) => `${at % 200}/${at}.txt`);
    await scene.write(Object.fromEntries(names.map((name) => [name, name])));
    const args = ['monitor', 'sync', scene.tree, '--recursive', ...toPlaces(scene)];
    const child = startCli(args);
    const exit = once(child, 'exit');
    const stdout = text(child.stdout);
    const lines: string[] = [];
    const input = createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    const closed = once(input, 'close');
    await once(input, 'line');
    child.kill('SIGINT');
    expect(await exit).toEqual([1, null]);
    await closed;
    expect(lines.at(-1)).toMatch(
      /^holdfast: cancelled after \d+ of 6000 files; what is done stays, and the next sync goes on$/,
    );
    expect(await stdout).toBe('');
    const done = scene.rows().length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(6_000);
    expect(scene.monitor.status().last_sync).toMatchObject({ outcome: 'cancelled', files_processed: done });
    const rest = JSON.parse((await runHere([...args, '--json'])).stdout).data;
    expect(rest).toMatchObject({ files_processed: 6_000, files_hashed: 6_000 - done, files_unchanged: done });
  });
});

describe('the other commands', () => {
  it('[FIRST-513] print a table on a terminal, and JSON where it is asked for', async () => {
    const scene = await openScene({ 'a.txt': 'a' });
    const words = ['monitor', 'check', scene.at('b.txt'), '--config', scene.config];
    const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ');
    const onTerminal = (line: string) =>
      runCommand(['script', '--quiet', '--return', '--command', line, '/dev/null'], { env: process.env });
    const { code, output } = await onTerminal(command);
    expect(code).toBe(0);
    expect(output).toMatch(/^FIELD +VALUE\r\n/);
    expect(output).toMatch(/^is monitored +false\r$/m);
    expect(output).toMatch(/^ *decisions .*(\r\n .*)*- does not exist\r$/m);
    expect(JSON.parse((await onTerminal(`${command} --json`)).output).data).toMatchObject({ is_monitored: false });
  });

  it('[MON-19] status, check, filter and priority answer as the tools do', async () => {
    const scene = await openScene({ 'a.txt': 'a' });
    const askBy = async (run: typeof runHere | typeof runCli, words: string[]) => {
      const { code, stdout } = await run(['monitor', ...words, '--json', ...toPlaces(scene)]);
      return { code, ...JSON.parse(stdout) };
    };
    const ask = (...words: string[]) => askBy(runHere, words);
    const askProcess = (...words: string[]) => askBy(runCli, words);
    await scene.sync();
    expect(await askProcess('status')).toMatchObject({ code: 0, success: true, data: { tracked_files: 1 } });
    expect(await ask('check', scene.at('a.txt'))).toMatchObject({
      code: 0,
      data: { is_monitored: true, priority: 0, record: { bytes: 1 } },
    });
    expect(await askProcess('filter', 'add', 'exclude_globs', '*.txt')).toMatchObject({
      data: { exclude_globs: ['*.txt'] },
      messages: [{ type: 'success', text: '*.txt is now in exclude_globs' }],
    });
    expect(await ask('check', scene.at('a.txt'))).toMatchObject({
      data: { is_monitored: false, reason: 'matches exclude_globs' },
    });
    expect(await ask('filter', 'remove', 'exclude_globs', '*.txt')).toMatchObject({ data: { exclude_globs: [] } });
    expect(await ask('filter', 'show')).toMatchObject({ data: { include_paths: ['/'] } });
    expect(await askProcess('priority', 'add', scene.tree, '2.5')).toMatchObject({
      data: { dirs: { [scene.tree]: 2.5 } },
    });
    expect(await ask('priority', 'show')).toMatchObject({ data: { dirs: { [scene.tree]: 2.5 } } });
    expect(await ask('check', scene.at('a.txt'))).toMatchObject({ data: { priority: 2.5 } });
    expect(await ask('priority', 'remove', scene.tree)).toMatchObject({ data: { dirs: {} } });
    expect(await ask('priority', 'remove', scene.tree)).toMatchObject({
      messages: [{ type: 'info', text: `${scene.tree} had no priority before` }],
    });
  });

  it('[MON-19] what is wrong is refused with what is expected', async () => {
    const scene = await openScene();
    const refuse = async (...words: string[]) => {
      const { code, stderr } = await runHere(['monitor', ...words, ...toPlaces(scene)]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refuse('filter', 'add', 'globs', 'x')).toContain('the list is "globs"; expected include_paths, ');
    expect(await refuse('priority', 'add', '/a', 'high')).toBe(
      'holdfast: PRIORITY is "high"; expected a number from 0 up\n',
    );
    expect(await refuse('--http', 'x')).toContain('--http is "x"; expected a whole number from 0 to 65535');
  });

  it('[MON-19] a database that is not there is not made by looking for it', async () => {
    const scene = await openScene();
    const db = join(scene.folder, 'other.db');
    const { code, stderr } = await runHere(['monitor', 'status', '--db', db]);
    expect(code).toBe(66);
    expect(stderr).toContain(db);
  });
});
