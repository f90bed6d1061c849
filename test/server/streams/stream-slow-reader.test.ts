import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openPipe } from '../open-pipe.ts';
import { countEvents, type ToldRun } from './read-run.ts';

/** More than are kept. */
const LINES = 13_000;

it('[STREAM-28] a client that stops reading gets what is kept, a gap for the rest, and the whole end', async () => {
  const pipe = await openPipe();
  const result = 'r'.repeat(10_000);
  await pipe.call('run', { lines: LINES, result, start: 'begin', gate: 'end' }, { id: 'slow' });
  pipe.child.stdout.pause();
  const opened = pipe.call('open', { gate: 'begin' });
  await until(() => pipe.said().includes('handed over'), { what: 'all lines to be handed over', timeoutMs: 60_000 });
  pipe.child.stdout.resume();
  await opened;
  await pipe.call('open', { gate: 'end' });
  const told = (await pipe.whole('slow')).map(({ params }) => params as unknown as ToldRun);
  const { last, dropped } = countEvents(told);
  expect(dropped).toBeGreaterThan(0);
  // Submitted, claimed, and every line.
  expect(last).toBe(LINES + 2);
  expect(told.map(({ finalText = '' }) => finalText).join('')).toBe(result);
  expect(told.filter(({ done }) => done)).toHaveLength(1);
});
