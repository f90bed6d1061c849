import { type WatchedRun, type WatchRunOptions, watchRun } from 'holdfast/stream';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { startProgram } from '../../crash/judge.ts';
import { events, log, openState, run, START, task } from './state-fixture.ts';

/** Watches in the background. */
function watch(options: WatchRunOptions) {
  const seen: WatchedRun[] = [];
  const stop = new AbortController();
  const ended = (async () => {
    for await (const one of watchRun({ pollMs: 200, signal: stop.signal, ...options })) seen.push(one);
  })();
  ended.catch(() => {});
  onTestFinished(() => stop.abort(new Error('the test is over')));
  const texts = () => seen.flatMap((one) => (one.type === 'event' ? [one.event.text] : [one.type]));
  const untilSeen = (...wanted: string[]) =>
    until(() => JSON.stringify(texts()) === JSON.stringify(wanted), { what: wanted.join(), timeoutMs: 60_000 });
  return { seen, texts, ended, untilSeen };
}

describe('the watcher', () => {
  it('[SHOST-20] [SHOST-21] gives the events of its task as they come, then how it ended', async () => {
    const state = await openState();
    const { seen, untilSeen, ended } = watch({ file: state.file, taskId: 'a' });
    await state.write({ mcpTasks: [task('a', '', 'queued')], runs: [], windowLogs: log(events(1)) });
    const began = { mcpTasks: [task('a', 'r1')], runs: [run('r1', 10)] };
    await state.write({ ...began, windowLogs: log(events(1, 11)) });
    await untilSeen('line 11');
    await state.write({ ...began, windowLogs: log(events(11, 12, 14)) });
    await untilSeen('line 11', 'line 12', 'gap', 'line 14');
    await state.write({
      mcpTasks: [task('a', 'r1', 'completed')],
      runs: [run('r1', 10, 'completed')],
      windowLogs: log(events(14, 15)),
    });
    await ended;
    expect(seen.slice(-2)).toEqual([
      { type: 'event', event: events(15)[0], text: '[2026-01-20T10:00:15.000Z] stderr line 15' },
      { type: 'done', status: 'completed', finishedAt: '2026-01-20T10:01:30.000Z' },
    ]);
  });

  it('[SHOST-20] finds a run by its window and time in files of others', async () => {
    const state = await openState();
    await state.write({ runs: [run('r0', 1, 'completed'), run('r1', 10, 'failed')], windowLogs: log(events(2, 11)) });
    const { texts, ended } = watch({ file: state.file, windowId: 'w1', requestedAt: START + 5000 });
    await ended;
    expect(texts()).toEqual(['line 11', 'done']);
  });

  it('[SHOST-22] passes over what it cannot read, and goes on', async () => {
    const state = await openState();
    const { texts, untilSeen, ended } = watch({ file: state.file, taskId: 'a' });
    const began = { mcpTasks: [task('a', 'r1')], runs: [run('r1', 10)] };
    await state.writeText('{"runs":[{"id":');
    await state.write({ ...began, windowLogs: log(events(11)) });
    await untilSeen('line 11');
    await state.writeText('');
    await state.remove();
    await state.writeText('not JSON');
    await state.write({ ...began, windowLogs: log(events(11, 12)) });
    await untilSeen('line 11', 'line 12');
    await state.write({ ...began, runs: [run('r1', 10, 'aborted')], windowLogs: log(events(11, 12)) });
    await ended;
    expect(texts().slice(2)).toEqual(['done']);
  });

  it('[SHOST-23] says that it took too long, in a place that is not even there', async () => {
    const state = await openState();
    const { seen, ended } = watch({ file: `${state.dir}/nowhere/state.json`, taskId: 'a', timeoutMs: 50 });
    await ended;
    expect(seen).toEqual([{ type: 'timeout' }]);
  });

  it.each([
    ['end', 'r1', 'completed', ['event', 'done', 'left']],
    ['end', 'r1', 'running', ['event', 'timeout', 'left']],
    ['abort', 'r1', 'running', ['event', 'thrown', 'left']],
    ['leave', 'r1', 'running', ['event', 'left']],
  ] as const)('[SHOST-23] leaves nothing behind: %s of %s, which is %s', async (...[how, runId, status, types]) => {
    const state = await openState();
    const windowLogs = log(events(11));
    await state.write({ mcpTasks: [task('a', runId, status)], runs: [run(runId, 10, status)], windowLogs });
    const program = startProgram('watch-run', [state.file, 'a', how, how === 'end' ? '700' : '60000']);
    const { code, stdout } = await program.ended;
    const seen = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; left?: string[] });
    expect(seen.map(({ type }) => type)).toEqual(types);
    expect(seen.at(-1)?.left).toEqual([]);
    expect(code).toBe(0);
  });

  it('[SHOST-24] looks every 200 to 500 ms, whatever it is told', async () => {
    const state = await openState();
    const delays = new Set<number>();
    const after: Clock['after'] = (ms, fn) => {
      delays.add(ms);
      return systemClock.after(ms, fn);
    };
    process.env.STREAM_POLL_MS = '250';
    process.env.STREAM_TIMEOUT_MS = '30';
    onTestFinished(() => {
      delete process.env.STREAM_POLL_MS;
      delete process.env.STREAM_TIMEOUT_MS;
    });
    for (const [pollMs, expected] of [
      [1, 200],
      [300, 300],
      [9999, 500],
      [undefined, 250],
    ]) {
      const asked = pollMs === undefined ? {} : { pollMs };
      delays.clear();
      const watched = watchRun({ file: state.file, taskId: 'a', clock: { ...systemClock, after }, ...asked });
      expect((await watched.next()).value).toEqual({ type: 'timeout' });
      await watched.return();
      expect([...delays]).toEqual([expected, 30]);
    }
  });

  it.each([
    [{ file: '' }, 'file is ""'],
    [{ taskId: undefined }, 'a taskId, or a windowId with requestedAt'],
    [{ pollMs: -1 }, 'pollMs is -1'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs is NaN'],
  ])('[SHOST-24] refuses %j by name', async (wrong, message) => {
    const options = { file: 'state.json', taskId: 'a', ...wrong } as WatchRunOptions;
    await expect(watchRun(options).next()).rejects.toThrow(message);
  });
});
