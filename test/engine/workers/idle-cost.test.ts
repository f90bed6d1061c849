import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../src/testing/until.ts';
import { useSureWatch } from '../../sure-watch.ts';
import { openRig, type Rig } from '../open-rig.ts';

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

const TOOLS = {
  ask: {
    idempotent: true,
    run: (_args: unknown, task: { ask(question: object): Promise<unknown> }) =>
      task.ask({ message: 'Go?', schema: {} }),
  },
};
/** The times of every process that was told nothing else. */
const TIMES = { leaseMs: 6000, superviseMs: 1000, sweepMs: 60_000 };
const COMES_TO_REST_MS = 30_000;
const WATCHED_MS = 120_000;

afterEach(() => {
  // The spies first: they put the fake timers back, where the next file of this process would find them.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The delays of all timers that an engine beside this store sets, after it has come to rest. */
async function listDelays(rig: Rig): Promise<number[]> {
  useSureWatch();
  const realMs = performance.now();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] });
  const set = vi.spyOn(globalThis, 'setTimeout');
  const repeat = vi.spyOn(globalThis, 'setInterval');
  // The clock that stands in begins at zero, and the store has looked at the real one.
  await vi.advanceTimersByTimeAsync(realMs);
  await rig.engine(TOOLS, { ...TIMES, workers: 'detached' });
  let delays: number[] = [];
  // The system tells of writes in its own time, not in that of the clock: one that is told of late is no unrest.
  for (let round = 0; round < 3; round++) {
    await pass(COMES_TO_REST_MS);
    set.mockClear();
    repeat.mockClear();
    await pass(WATCHED_MS);
    delays = [...set.mock.calls, ...repeat.mock.calls].map(([, ms]) => ms ?? 0);
    if (delays.every((ms) => ms >= 1000)) break;
  }
  return delays;
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await nextTurn();
    await vi.advanceTimersByTimeAsync(50);
  }
}

it('[ROOMS-223] an engine with nothing to do sets no timer under a second', async () => {
  const delays = await listDelays(await openRig());
  expect(delays.filter((ms) => ms < 1000)).toEqual([]);
  // It does look, now and then.
  expect(delays.length).toBeGreaterThan(20);
  expect(delays.length).toBeLessThan(150);
});

it('[ROOMS-224] nor does one beside a question that nobody has answered', async () => {
  const rig = await openRig();
  const asking = await rig.engine(TOOLS, { parkMs: 10 });
  await asking.submit('ask', {});
  await until(async () => (await rig.store.tasks.backlog(asking.identity)).leased === 0);
  await asking.close();
  const delays = await listDelays(rig);
  expect(delays.filter((ms) => ms < 1000)).toEqual([]);
  // It does look, now and then.
  expect(delays.length).toBeGreaterThan(20);
  expect(delays.length).toBeLessThan(150);
});
