import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { until } from '../../../src/testing/until.ts';
import { openLine } from '../../store/postgres/line.ts';
import { cycle, cycles, expectOnceEach } from '../../store/postgres/once-each.ts';
import { openCluster, openPatient, through } from './own-cluster.ts';

describe('a PostgreSQL server that fails', () => {
  it('[PG-260] is killed with all it was doing, and nothing that it had acknowledged is lost or done twice', async () => {
    const cluster = await openCluster();
    const store = await openPatient(cluster.url());
    let done = 0;
    const lane = async (first: number) => {
      for (let place = first; place < first + 15; place++) {
        await cycle(store, place);
        done += 1;
      }
    };
    const lanes = Promise.all([0, 15, 30, 45].map(lane));
    for (const after of [5, 30]) {
      await until(() => done >= after, { what: 'work', timeoutMs: 60_000 });
      await cluster.kill();
      await cluster.start();
    }
    await lanes;
    await expectOnceEach(store, 60);
  });

  it('[PG-296] gives the number of a lost transaction to another one after a crash, and neither is taken for the other', async () => {
    // Nothing of a transaction is written before its commit.
    const cluster = await openCluster({ wal_writer_delay: '10s' });
    const line = await openLine(cluster.port);
    const store = await openPatient(through(cluster.url(), line.port));
    await cycle(store, 0);
    const cut = line.cutBeforeCommit();
    const second = cycle(store, 1);
    await cut;
    await cluster.kill();
    await cluster.start();
    const other = new Client({ connectionString: cluster.url() });
    await other.connect();
    for (let n = 0; n < 50; n++) await other.query('SELECT pg_current_xact_id()');
    await other.end();
    line.mend();
    await second;
    await expectOnceEach(store, 2);
  });

  it('[PG-261] loses a hundred connections, and one in twenty of its answers to COMMIT: each task is done once', async () => {
    const cluster = await openCluster();
    const line = await openLine(cluster.port);
    const store = await openPatient(through(cluster.url(), line.port));
    line.loseCommits(20);
    await cycles(store, { many: 120, lanes: 1 });
    expect(line.lost).toBeGreaterThan(10);
    line.loseCommits(0);
    let dropped = 0;
    let next = 120;
    while (dropped < 100) {
      const sent = line.sent;
      const some = Promise.all(Array.from({ length: 4 }, () => cycle(store, next++)));
      // In the middle of whatever it is at then.
      const after = sent + 1 + (next % 5);
      await until(() => line.sent >= after, { what: 'something to be sent', timeoutMs: 60_000 });
      dropped += line.drop();
      await some;
    }
    await expectOnceEach(store, next);
  });
});
