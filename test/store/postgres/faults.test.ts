import { Pool } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/store/contract.ts';
import { openHeartbeat } from '../../../src/store/postgres/workers/heartbeat.ts';
import { submit, WORKER } from '../sqlite/scratch.ts';
import { type Line, openLine } from './line.ts';
import { cycle, expectOnceEach } from './once-each.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

/** A store behind a line that can break, with a worker. */
async function openBehind(): Promise<{ line: Line; store: Store }> {
  const line = await openLine(scratch.cluster.port);
  const url = scratch.cluster.url().replace(`:${scratch.cluster.port}/`, `:${line.port}/`);
  const store = await scratch.open({ url, patienceMs: 60_000, onError: () => {} });
  await store.workers.register(WORKER);
  return { line, store };
}

describe('while the line to PostgreSQL breaks', () => {
  it('[PG-113] connections that are dropped in the middle of everything lose nothing and repeat nothing', async () => {
    const { line, store } = await openBehind();
    let [done, dropped] = [0, 0];
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      for (let n = 0; n < 10; n++) {
        await cycle(store, lane * 10 + n);
        done += 1;
        // The other lanes are in the middle of something.
        if (done % 3 === 0) dropped += line.drop();
      }
    });
    await Promise.all(lanes);
    expect(dropped).toBeGreaterThan(0);
    await expectOnceEach(store, 40);
  });

  it('[PG-114] answers to COMMIT that are lost let nothing happen twice, and nothing is stranded', async () => {
    const { line, store } = await openBehind();
    line.loseCommits(4);
    for (let n = 0; n < 20; n++) await cycle(store, n);
    expect(line.lost).toBeGreaterThan(5);
    await expectOnceEach(store, 20);
  });
});

describe('a process on PostgreSQL', () => {
  it('[PG-116] needs at most five connections, its heartbeat included', async () => {
    const [name, schema] = [scratch.toSchema(), scratch.toSchema()];
    const url = `${scratch.cluster.url()}?application_name=${name}`;
    const store = await scratch.open({ url, schema });
    store.changes.subscribe(() => {});
    const heart = openHeartbeat({ url, schema });
    await store.workers.register(WORKER);
    const admin = new Pool({ connectionString: scratch.cluster.url(), max: 1 });
    const count = async () => {
      const { rows } = await admin.query<{ many: string }>(
        'SELECT count(*) AS many FROM pg_stat_activity WHERE application_name = $1',
        [name],
      );
      return Number(rows[0]?.many);
    };
    const counts: number[] = [];
    const work = Promise.all([
      ...Array.from({ length: 60 }, (_, place) => cycle(store, place)),
      ...Array.from({ length: 60 }, () => store.workers.list()),
    ]);
    for (let n = 0; n < 5; n++) {
      expect(await heart.renew('w1', 60_000)).toBe('ready');
      counts.push(await count());
    }
    await work;
    counts.push(await count());
    await heart.close();
    await admin.end();
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
    expect(Math.max(...counts)).toBeGreaterThan(1);
  });

  it('[PG-117] goes by the time of the database, whatever its own clock says', async () => {
    const real = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + 7_200_000);
    try {
      const store = await scratch.open();
      const { createdAt } = await submit(store);
      expect(Math.abs(store.time().now - real())).toBeLessThan(600_000);
      expect(Math.abs(createdAt - real())).toBeLessThan(600_000);
    } finally {
      vi.restoreAllMocks();
    }
  });
});
