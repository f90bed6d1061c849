import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite, type RunOptions, type Site } from '../workers/start-program.ts';

const HOUR_MS = 3_600_000;

// Each process counts on from one record by itself, and may be a millisecond ahead of another.
const APART_MS = 10;

/** A process whose wall clock is wrong, in all its threads. */
const wrongBy = (ms: number): RunOptions => ({
  execArgv: ['--import', `data:text/javascript,const now = Date.now; Date.now = () => now() + ${ms}`],
});

describe('processes on one store whose wall clocks are wrong', () => {
  it('[BAD-206] run the work of each other at once and in order, and drop no fresh result', async () => {
    const site = await openSite();
    const options = {
      identity: 'same',
      concurrency: 1,
      sweepMs: 20,
      leaseMs: 600_000,
      maxBlockMs: 600_000,
      shutdownGraceMs: 100,
    };
    const ahead = site.start(options, wrongBy(3 * HOUR_MS));
    // The first task makes the time of the store: that of a process with a wrong clock, which is as good as any.
    const first = await ahead.submit('where', {}, { ttlMs: HOUR_MS });
    const behind = site.start(options, wrongBy(-HOUR_MS));
    const right = site.start(options);
    const made = [first];
    for (const program of [behind, right, ahead, behind, right]) {
      made.push(await program.submit('where', {}, { ttlMs: HOUR_MS }));
    }
    for (const taskId of made) expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result' });
    await untilSwept(site, [ahead, behind, right]);
    const tasks = await Promise.all(made.map((taskId) => site.get(taskId)));
    expect(tasks.map(({ outcome }) => outcome?.kind)).toEqual(made.map(() => 'result'));
    const times = tasks.flatMap(({ createdAt, startedAt = 0, endedAt = 0 }) => [createdAt, startedAt, endedAt]);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(HOUR_MS);
    const created = tasks.map(({ createdAt }) => createdAt);
    expect(created.filter((at, index) => at < (created[index - 1] ?? 0) - APART_MS)).toEqual([]);
  });
});

/** Each of the programs has swept: a task of its own, to be dropped at once, has been. */
async function untilSwept(site: Site, programs: readonly { submit: ReturnType<Site['start']>['submit'] }[]) {
  for (const program of programs) {
    const taskId = await program.submit('where', {}, { ttlMs: 0 });
    await until(async () => (await site.get(taskId)).outcome?.kind === 'expired');
  }
}
