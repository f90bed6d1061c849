import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRawStdio } from './raw-client.ts';
import { openSite } from './site.ts';

const PATIENT = { timeoutMs: 60_000 } as const;

/** A client that has listed the tools and stays; the worker that is started for it waits for `go`. */
async function openListed() {
  const site = await openSite('warm-server');
  const client = await openRawStdio(site, 'modern');
  await client.request('tools/list');
  const file = join(site.dir, 'workers.txt');
  const pids = () => (existsSync(file) ? (readFileSync(file, 'utf8').match(/^\d+(?=\n)/gm) ?? []).map(Number) : []);
  await until(() => pids().length > 0, { ...PATIENT, what: 'the worker to be started' });
  return { site, client, pids, go: () => writeFileSync(join(site.dir, 'go'), '') };
}

describe('a server whose tools were listed', () => {
  it('[HOSTS-232] has a worker before the first call, which ends when it is idle', async () => {
    const { site, client, pids, go } = await openListed();
    expect((await site.tasks.list()).tasks).toEqual([]);
    go();
    await site.untilIdle();
    expect(pids()).toHaveLength(1);
    await client.end();
  });

  it('[HOSTS-232] runs the first call in that worker', async () => {
    const { client, pids, go } = await openListed();
    const answer = client.request('tools/call', { name: 'instant', arguments: {} });
    go();
    expect((await answer).result).toMatchObject({ content: [{ text: 'from the worker' }] });
    expect(pids()).toHaveLength(1);
    await client.end();
  });

  it('[HOSTS-233] ends the worker with itself that has nothing to do and is still loading', async () => {
    const { site, client, pids } = await openListed();
    await client.end();
    const [pid = 0] = pids();
    await until(() => !isAlive(pid), { ...PATIENT, what: 'the worker to end' });
    await site.untilIdle();
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
