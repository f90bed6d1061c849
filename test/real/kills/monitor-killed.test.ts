import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inRoot } from '../../../scripts/root.mjs';
import { hashByHand, type Row, readRows } from '../../apps/monitor/open-scene.ts';
import { runCli, startCli } from '../../cli/run-cli.ts';

const DIRECTORIES = 500;
const FILES_EACH = 100;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-killed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** 50,000 files, each with words of its own. */
async function makeTree(): Promise<string> {
  const tree = join(folder, 'tree');
  for (let at = 0; at < DIRECTORIES; at += 1) {
    const directory = join(tree, `part-${at % 20}`, `directory-${at}`);
    await mkdir(directory, { recursive: true });
    const names = Array.from({ length: FILES_EACH }, (_, file) => `file-${file}.txt`);
    await Promise.all(names.map((name) => writeFile(join(directory, name), `${at} ${name}\n`)));
  }
  return tree;
}

/** Begins a sync in a process of its own and ends that process, by a signal, when the first batch is reported. */
async function breakOff(args: readonly string[], signal: NodeJS.Signals) {
  const child = startCli(args);
  const exit = once(child, 'exit');
  child.stdout.resume();
  const [line] = await once(createInterface({ input: child.stderr }), 'line');
  expect(line).toMatch(/^Processing \d+ of \d+ files\.\.\.$/);
  child.kill(signal);
  return await exit;
}

async function resume(args: readonly string[]) {
  const { code, stdout } = await runCli([...args, '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout).data;
}

const toHashes = (rows: readonly Row[]) => new Map(rows.map(({ path, checksum }) => [path, checksum]));

describe.each([
  ['50,000 files', makeTree],
  ["the project's own node_modules", async () => inRoot('node_modules')],
])('a sync of %s', (name, toTree) => {
  it('[MON-16] killed in the middle is gone on with: no file is hashed twice, and none is missing', async () => {
    const tree = await toTree();
    const db = join(folder, `${name.length}.db`);
    onTestFinished(() => rm(db, { force: true }));
    const args = ['monitor', 'sync', tree, '--recursive', '--db', db, '--config', join(folder, 'none.json')];
    expect(await breakOff(args, 'SIGKILL')).toEqual([null, 'SIGKILL']);
    const truth = await hashByHand(tree);

    const before = readRows(db);
    expect(before.length).toBeGreaterThan(0);
    expect(before.length).toBeLessThan(truth.size);
    for (const { path, checksum } of before) expect(checksum, path).toBe(truth.get(path));

    expect(await resume(args)).toMatchObject({
      files_processed: truth.size,
      files_hashed: truth.size - before.length,
      files_updated: truth.size - before.length,
      files_unchanged: before.length,
      files_removed: 0,
    });
    const after = new Map(readRows(db).map((row) => [row.path, row]));
    expect(toHashes([...after.values()])).toEqual(truth);
    // A record that was there has not been written again.
    for (const row of before) expect(after.get(row.path)).toEqual(row);

    expect(await resume(args)).toMatchObject({ files_processed: truth.size, files_hashed: 0, files_updated: 0 });
  });
});
