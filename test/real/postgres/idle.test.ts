import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../src/testing/until.ts';
import { openCluster, openPatient } from './own-cluster.ts';

/** What the server was asked to write, statement by statement. */
const WRITES = /(?:execute \w+|statement): (?:INSERT|UPDATE|DELETE|WITH)[^\n]*/g;

describe('a process on PostgreSQL in which nothing happens', () => {
  it('[PG-268] writes nothing but its heartbeats and the time', async () => {
    const cluster = await openCluster({ log_statement: 'all' });
    const store = await openPatient(cluster.url());
    const engine = await createEngine({ name: 'idle', store, workers: 'inline', tools: { noop: { run: () => 1 } } });
    await engine.start();
    onTestFinished(() => engine.close());
    const { task } = await engine.submit('noop', {});
    await engine.outcome(task.taskId);
    const read = () => readFileSync(join(cluster.directory, 'log'), 'utf8');
    const from = read().length;
    const beats = () =>
      read()
        .slice(from)
        .match(/UPDATE holdfast\.worker SET until/g)?.length ?? 0;
    // As many beats as tell whether anything else goes on between them.
    await until(() => beats() >= 4, { what: 'heartbeats', timeoutMs: 110_000 });
    const asked = read().slice(from);
    const writes = asked.match(WRITES) ?? [];
    console.log(`${asked.match(/(execute|statement):?/g)?.length} statements for ${beats()} beats`);
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.filter((text) => !/UPDATE holdfast\.(worker SET until|store SET at)/.test(text))).toEqual([]);
  });
});
