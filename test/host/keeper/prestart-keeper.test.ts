/** A server that is started before the host is loaded. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { prestartKeeper } from '../../../dist/host/prestart-keeper.js';
import { programPath } from '../../programs/program-path.js';

async function openPlace() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-ahead-'));
  onTestFinished(() => rm(dir, { recursive: true, maxRetries: 50, retryDelay: 100 }));
  const spec = { command: process.execPath, args: [programPath('handmade-server.js'), dir], passEnv: ['*'] };
  const runs = async () => (await readFile(join(dir, 'runs.txt'), 'utf8').catch(() => '')).split('\n');
  const starts = async () => (await runs()).filter((line) => line.startsWith('runs '));
  return { dir, spec, ledger: join(dir, 'calls.db'), runs, starts };
}

it('[GATE-166] runs before there is a host, and is the one that the host uses', async () => {
  const { spec, ledger, starts, runs } = await openPlace();
  await prestartKeeper({ name: 'made', spec, ledger });
  await until(async () => (await starts()).length === 1, { what: 'the server', timeoutMs: 60_000 });
  expect((await runs()).some((line) => line.startsWith('hello'))).toBe(false);
  const host = await createHost({ ledger, keeper: true });
  await host.connect('made', spec);
  expect((await host.tools('made')).map(({ name }) => name)).toContain('count');
  await host.close();
  expect(await starts()).toHaveLength(1);
});

it('[GATE-166] has gone when the host has, and leaves its place free', async () => {
  const { dir, spec, ledger, starts } = await openPlace();
  await prestartKeeper({ name: 'made', spec, ledger });
  const host = await createHost({ ledger, keeper: true });
  await host.connect('made', spec);
  await host.close();
  const pid = Number((await starts())[0]?.slice('runs '.length));
  await until(() => isGone(pid), { what: 'the end of the server', timeoutMs: 60_000 });
  const notes = async () => (await readdir(join(dir, 'keepers'))).filter((name) => name.endsWith('.json'));
  await until(async () => (await notes()).length === 0, { what: 'the end of the keeper', timeoutMs: 60_000 });
});

it('[GATE-166] says nothing where it cannot be started: the host tells why', async () => {
  const { dir, ledger } = await openPlace();
  const spec = { command: join(dir, 'nothing-here') };
  await prestartKeeper({ name: 'missing', spec, ledger });
  const host = await createHost({ ledger, keeper: true });
  onTestFinished(() => host.close());
  await expect(host.connect('missing', spec)).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
});

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
