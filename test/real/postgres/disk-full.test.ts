import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { giveToNobody } from '../../../scripts/postgres-cluster.mjs';
import type { Task } from '../../../src/task/record.ts';
import { workOff } from '../../store/postgres/once-each.ts';
import { submit } from '../../store/sqlite/scratch.ts';
import { openCluster, openDirectory, openPatient } from './own-cluster.ts';

const canMount = process.platform === 'linux' && process.getuid?.() === 0;
if (!canMount)
  console.error('SKIPPED: a full disk of PostgreSQL is not tested: only root on Linux can make a small one');

/** A database on a disk that has room for little. */
async function openSmall(): Promise<{ readonly url: string; grow(): void }> {
  const disk = join(await openDirectory(), 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  chmodSync(disk, 0o755);
  const space = join(disk, 'space');
  mkdirSync(space);
  giveToNobody(space);
  const cluster = await openCluster();
  const client = new Client({ connectionString: cluster.url() });
  await client.connect();
  await client.query(`CREATE TABLESPACE small LOCATION '${space}'`);
  await client.query('CREATE DATABASE small TABLESPACE small');
  await client.end();
  return {
    url: cluster.url('small'),
    grow: () => void execFileSync('mount', ['-o', 'remount,size=200m', disk]),
  };
}

describe.skipIf(!canMount)('a PostgreSQL server whose disk is full', () => {
  it('[PG-264] is named, keeps all that was acknowledged, and goes on when there is room again', async () => {
    const { url, grow } = await openSmall();
    const store = await openPatient(url);
    const made: Task[] = [];
    const fill = async () => {
      for (;;) made.push(await submit(store, { args: randomBytes(100_000).toString('base64') }));
    };
    await expect(fill()).rejects.toMatchObject({ code: 'STORE_FULL', message: expect.stringContaining('disk') });
    expect(made.length).toBeGreaterThan(3);
    for (const { taskId, args } of made) expect((await store.tasks.get({ taskId }))?.args).toBe(args);
    grow();
    while (await workOff(store));
    for (const { taskId } of made) expect((await store.tasks.get({ taskId }))?.status).toBe('completed');
    const types = (await store.tasks.events(made[0]?.taskId ?? '', 0, 9)).map(({ type }) => type);
    expect(types).toEqual(['submitted', 'claimed', 'ended']);
  });
});
