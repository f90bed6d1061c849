import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchNode } from '../../../scripts/fetched/fetch-node.mjs';
import { runCommand } from '../../pins/run-command.ts';
import { programPath } from '../../programs/program-path.js';

const PROGRAM = programPath('runtime-contract.js');
const FETCH_AND_RUN_MS = 180_000;

describe('the store contract on the built-in SQLite', () => {
  it('[STORE-04] [STORE-06] [PKG-07] holds on Node 22, under node:test', { timeout: FETCH_AND_RUN_MS }, async () => {
    expect(await runContract(22)).toEqual({
      version: 22,
      code: 0,
      pass: storeContract.length + 1,
      fail: 0,
      failed: [],
    });
  });

  it('[STORE-04] [STORE-07] [PKG-07] holds on Node 24, under node:test', { timeout: FETCH_AND_RUN_MS }, async () => {
    expect(await runContract(24)).toEqual({
      version: 24,
      code: 0,
      pass: storeContract.length + 1,
      fail: 0,
      failed: [],
    });
  });
});

describe('an engine on Node 22', () => {
  it('[HOSTS-240] prints nothing about SQLite', { timeout: FETCH_AND_RUN_MS }, async () => {
    const node = await fetchNode(22);
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-warning-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const open = `import { openSqliteStore } from 'holdfast'; await (await openSqliteStore({ path: process.env.STORE })).close()`;
    const env = { ...process.env, STORE: join(dir, 'tasks.db') };
    expect(await runCommand([node, '--input-type=module', '-e', open], { env })).toEqual({ code: 0, output: '' });
  });
});

async function runContract(major: 22 | 24) {
  const node = await fetchNode(major);
  const version = await runCommand([node, '-p', 'process.versions.node.split(".")[0]']);
  const { code, output } = await runCommand([node, '--test-reporter=tap', PROGRAM]);
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)?.[1]);
  const failed = output.split('\n').filter((line) => /^\s*not ok /.test(line));
  return { version: Number(version.output), code, pass: count('pass'), fail: count('fail'), failed };
}
