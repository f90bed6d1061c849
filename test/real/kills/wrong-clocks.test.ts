/**
 * Processes with wrong wall clocks, as libfaketime makes them where it is installed: it also shifts what a process sees of
 * the steady clock. Without it only what JavaScript sees of the wall clock is wrong.
 */
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openSite, type RunOptions, type Site } from '../../engine/workers/start-program.ts';

const HOUR_MS = 3_600_000;
const [library] = findLibrary();

const byDate = (ms: number): RunOptions => ({
  execArgv: ['--import', `data:text/javascript,const now = Date.now; Date.now = () => now() + ${ms}`],
});
const byLibrary = (ms: number): RunOptions => ({
  env: { LD_PRELOAD: library, FAKETIME: `${ms < 0 ? '' : '+'}${ms / 1000}s` },
});
const WRONG: [string, (ms: number) => RunOptions][] = [['Date', byDate]];
if (library) WRONG.push(['libfaketime', byLibrary]);

const OPTIONS = {
  identity: 'same',
  concurrency: 2,
  sweepMs: 20,
  superviseMs: 50,
  leaseMs: 60_000,
  shutdownGraceMs: 100,
};

describe.each(WRONG)('wall clocks that are wrong by %s', (_name, wrongBy) => {
  it('[BAD-207] stall nothing, reorder nothing and drop nothing, though processes come, go and are killed', async () => {
    const site = await openSite();
    const wrongs = [3 * HOUR_MS, -HOUR_MS, 0, 24 * HOUR_MS];
    const made: string[] = [];
    for (let round = 0; round < 3; round++) {
      const programs = wrongs.map((ms) => site.start(OPTIONS, ms === 0 ? {} : wrongBy(ms)));
      for (const program of [...programs, ...programs.reverse()]) {
        made.push(await program.submit('where', {}, { ttlMs: HOUR_MS }));
      }
      for (const taskId of made) expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result' });
      await untilSwept(site, programs);
      await Promise.all(programs.map((program, place) => (place % 2 === 0 ? program.kill() : program.end())));
    }
    const tasks = await Promise.all(made.map((taskId) => site.get(taskId)));
    expect(tasks.map(({ outcome }) => outcome?.kind)).toEqual(made.map(() => 'result'));
    const created = tasks.map(({ createdAt }) => createdAt);
    expect(created).toEqual([...created].sort((a, b) => a - b));
    expect((created.at(-1) ?? 0) - (created[0] ?? 0)).toBeLessThan(HOUR_MS / 2);
  });

  it('[BAD-207] let a deadline for the start pass by the time of the store, whoever looks', async () => {
    const site = await openSite();
    const ahead = site.start({ ...OPTIONS, identity: 'ahead' }, wrongBy(3 * HOUR_MS));
    const behind = site.start({ ...OPTIONS, identity: 'behind' }, wrongBy(-HOUR_MS));
    await Promise.all([ahead.submit('where'), behind.submit('where')]);
    // Nobody of this identity runs anything, so the two only look after the deadlines.
    const nobody = site.start({ ...OPTIONS, identity: 'nobody', concurrency: 1 });
    const holds = await nobody.submit('hold', { until: 'never' });
    await until(async () => (await site.get(holds)).status === 'working');
    const patient = await nobody.submit('where', {}, { startWithinMs: HOUR_MS });
    const hasty = await nobody.submit('where', {}, { startWithinMs: 500 });
    await until(async () => (await site.get(hasty)).status === 'failed');
    expect((await site.get(hasty)).outcome).toMatchObject({ error: { code: 'NOT_STARTED' } });
    expect((await site.get(patient)).status).toBe('queued');
  });
});

const describeSet = library ? describe : () => {};
describeSet('a wall clock that is set while processes run', () => {
  it('[BAD-208] by an hour back and by a day forwards stalls no task and no retry', async () => {
    const site = await openSite();
    const file = join(site.folder, 'faketime');
    await writeFile(file, '+0s');
    const env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // As when somebody sets the clock: the steady one goes on.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    const programs = [site.start(OPTIONS, { env }), site.start(OPTIONS, { env })];
    const made: string[] = [];
    for (const setTo of ['+0s', '-3600s', '+86400s', '-86400s']) {
      await writeFile(file, setTo);
      for (const program of programs) made.push(await program.submit('where', {}, { ttlMs: HOUR_MS }));
      for (const taskId of made) expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'result' });
    }
    const created = (await Promise.all(made.map((taskId) => site.get(taskId)))).map(({ createdAt }) => createdAt);
    expect(created).toEqual([...created].sort((a, b) => a - b));
    expect(Math.abs((created.at(-1) ?? 0) - Date.now())).toBeLessThan(HOUR_MS / 2);
  });
});

/** Each of the programs has swept: a task of its own, to be dropped at once, has been. */
async function untilSwept(site: Site, programs: readonly ReturnType<Site['start']>[]): Promise<void> {
  for (const program of programs) {
    const taskId = await program.submit('where', {}, { ttlMs: 0 });
    await until(async () => (await site.get(taskId)).outcome?.kind === 'expired');
  }
}

function findLibrary(): string[] {
  const places = ['/usr/lib', '/usr/lib64'].filter((place) => existsSync(place));
  const folders = places.flatMap((place) => [place, ...readdirSync(place).map((name) => join(place, name))]);
  return folders.map((folder) => join(folder, 'faketime/libfaketime.so.1')).filter((path) => existsSync(path));
}
