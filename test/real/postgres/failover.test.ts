import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/task/record.ts';
import { until } from '../../../src/testing/until.ts';
import { type Line, openLine } from '../../store/postgres/line.ts';
import { cycle, expectOnceEach, workOff } from '../../store/postgres/once-each.ts';
import { submit } from '../../store/sqlite/scratch.ts';
import { openCluster, openPatient, openStandby, through } from './own-cluster.ts';

/** A server and the standby that follows it, behind one address. */
async function openPair({ isSynchronous }: { readonly isSynchronous: boolean }) {
  const primary = await openCluster();
  const standby = await openStandby(primary);
  await ask(primary.url(), 'SELECT 1');
  if (isSynchronous) {
    await ask(primary.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(primary.url(), 'SELECT pg_reload_conf()');
  }
  const wanted = isSynchronous ? 'sync' : 'async';
  const isFollowed = async () =>
    (await ask(primary.url(), 'SELECT sync_state FROM pg_stat_replication')).some((row) => row.sync_state === wanted);
  await until(isFollowed, { what: 'the standby to follow', timeoutMs: 60_000 });
  const line = await openLine(primary.port);
  const failOver = async () => {
    await primary.kill();
    await standby.promote();
    line.lead(standby.port);
  };
  return { primary, standby, line, failOver, store: await openPatient(toUrl(primary.url(), line)) };
}

function toUrl(url: string, line: Line): string {
  return through(url, line.port);
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('a standby that takes over from a server that is gone', () => {
  it('[PG-262] has all that was acknowledged when it followed synchronously, and each task is done once', async () => {
    const { store, failOver } = await openPair({ isSynchronous: true });
    let done = 0;
    const lanes = [0, 20, 40, 60].map(async (first) => {
      for (let place = first; place < first + 20; place++) {
        await cycle(store, place);
        done += 1;
      }
    });
    await until(() => done >= 20, { timeoutMs: 60_000 });
    await failOver();
    await Promise.all(lanes);
    await expectOnceEach(store, 80);
  });

  it('[PG-263] lacks just what was acknowledged since it fell behind; what it lacks is named, and the rest goes on', async () => {
    const { store, standby, primary, failOver } = await openPair({ isSynchronous: false });
    const kept: Task[] = [];
    for (let place = 0; place < 20; place++) kept.push(await submit(store, { args: place }));
    const [{ lsn } = {}] = await ask(primary.url(), 'SELECT pg_current_wal_flush_lsn() AS lsn');
    const hasAll = `SELECT pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn AS has`;
    await until(async () => (await ask(standby.url(), hasAll))[0]?.has, {
      what: 'the standby to have it',
      timeoutMs: 60_000,
    });
    await ask(standby.url(), "ALTER SYSTEM SET primary_conninfo = ''");
    await ask(standby.url(), 'SELECT pg_reload_conf()');
    const isAlone = async () => (await ask(standby.url(), 'SELECT 1 FROM pg_stat_wal_receiver')).length === 0;
    await until(isAlone, { what: 'the standby to fall behind', timeoutMs: 60_000 });
    const lost: Task[] = [];
    for (let place = 20; place < 30; place++) lost.push(await submit(store, { args: place }));
    const [claimed] = await store.tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
    const { taskId, fence } = claimed?.task ?? expect.unreachable('nothing was claimed');
    await failOver();
    for (const task of kept) expect((await store.tasks.get(task))?.status).toBe('queued');
    for (const task of lost) expect(await store.tasks.get(task)).toBe(undefined);
    // Its lease is one that nobody ever gave: what it did is refused, and the task is run again.
    const outcome = { kind: 'result', value: 'from a lost time' } as const;
    expect(await store.tasks.settle({ taskId, fence, worker: 'w1' }, { outcome })).toBe(false);
    while (await workOff(store));
    await expectOnceEach(store, 20);
  });
});
