import { describe, expect, it } from 'vitest';
import { LogCursor } from '../../../src/dialects/stream/state/log-cursor.ts';
import { type LoggedEvent, type RunName, readRunState } from '../../../src/dialects/stream/state/run-state.ts';
import { events, log, run, START, task } from './state-fixture.ts';

const read = (state: object, name: RunName, boundTo?: string) => readRunState(JSON.stringify(state), name, boundTo);
const seqsOf = (list: readonly { readonly seq?: number }[]) => list.map(({ seq }) => seq);
const BY_TIME: RunName = { windowId: 'w1', requestedAt: START + 5000 };

describe('a run in a state file', () => {
  it('[SHOST-20] is the one its task names, also when another one began at the time', () => {
    const runs = [run('r1', 10), run('r2', 20)];
    const state = { runs, mcpTasks: [task('a', 'r2'), task('b', 'r1')], windowLogs: log(events(11, 12, 21, 22)) };
    const found = read(state, { taskId: 'a', ...BY_TIME });
    expect(found.runId).toBe('r2');
    expect(seqsOf(found.events)).toEqual([21, 22]);
    expect(seqsOf(read(state, { taskId: 'b' }).events)).toEqual([11, 12]);
  });

  it('[SHOST-20] of a task that waits for its turn is not there yet', () => {
    const state = { runs: [run('r1', 10)], mcpTasks: [task('a', '', 'queued')], windowLogs: log(events(11)) };
    expect(read(state, { taskId: 'a', ...BY_TIME })).toMatchObject({ runId: undefined, events: [], end: undefined });
  });

  it('[SHOST-20] is found by time only where its task is not in the file, and never one of another task', () => {
    const runs = [run('r0', 1), run('r3', 30), run('r1', 10), run('r2', 20), { ...run('r4', 9), windowId: 'w2' }];
    expect(read({ runs }, BY_TIME).runId).toBe('r1');
    expect(read({ runs, mcpTasks: [task('other', 'r1')] }, { taskId: 'a', ...BY_TIME }).runId).toBe('r2');
    expect(read({ runs, mcpTasks: [task('other', 'r1')] }, { taskId: 'a' }).runId).toBeUndefined();
    expect(read({ runs: [run('r5', 6), ...runs] }, BY_TIME, 'r1').runId).toBe('r1');
  });

  it('[SHOST-20] has the entries that name it, whatever their times', () => {
    const entries = [
      { ...events(50)[0], runId: 'r1' },
      { ...events(12)[0], runId: 'r2' },
    ];
    const state = { runs: [run('r1', 10), run('r2', 20)], mcpTasks: [task('a', 'r1')], windowLogs: log(entries) };
    expect(seqsOf(read(state, { taskId: 'a' }).events)).toEqual([50]);
  });

  it.each(['completed', 'failed', 'aborted'])('[SHOST-20] ends as %s by its own status, or by its task', (status) => {
    const ended = { status, finishedAt: expect.stringContaining('2026-01-20') };
    expect(read({ runs: [run('r1', 10, status)] }, BY_TIME).end).toEqual(ended);
    expect(read({ mcpTasks: [task('a', '', status)] }, { taskId: 'a' }).end).toEqual(ended);
    expect(read({ runs: [run('r1', 10, 'aborting')] }, BY_TIME).end).toBeUndefined();
  });

  it('[SHOST-22] may lack any field, and is refused when it is no state', () => {
    const odd = { windows: null, runs: [null, 7, { id: 'r1' }], mcpTasks: {}, windowLogs: [] };
    expect(read(odd, BY_TIME)).toEqual({ runId: undefined, events: [], logLength: 0, end: undefined });
    const bare = {
      runs: [{ id: 'r1' }],
      mcpTasks: [{ id: 'a', runId: 'r1', windowId: 'w1' }],
      windowLogs: log([{}, 3 as never]),
    };
    expect(read(bare, { taskId: 'a' })).toMatchObject({ runId: 'r1', events: [{}] });
    for (const text of ['', '{', '[]', 'null', '7']) expect(() => readRunState(text, BY_TIME)).toThrow();
  });
});

describe('a log', () => {
  const open = () => {
    const cursor = new LogCursor();
    return (list: readonly LoggedEvent[], logLength = list.length) =>
      cursor.take({ events: list, logLength }).map((one) => (one.type === 'gap' ? `${one.from}-${one.to}` : one.event));
  };
  const unnumbered = (...texts: string[]) => texts.map((text) => ({ source: 'raw', text }));

  it('[SHOST-21] is given on by its numbers, and what was cut away before it was read is a gap', () => {
    const take = open();
    expect(take(events(3, 4))).toEqual(events(3, 4));
    expect(take(events(3, 4))).toEqual([]);
    expect(take(events(4, 5))).toEqual(events(5));
    expect(take(events(8, 9))).toEqual(['6-7', ...events(8, 9)]);
  });

  it('[SHOST-21] that became shorter gives nothing again that carries a number', () => {
    const take = open();
    take(events(1, 2, 3));
    expect(take(events(3))).toEqual([]);
    expect(take([])).toEqual([]);
    expect(take(events(3, 4))).toEqual(events(4));
  });

  it('[SHOST-21] that was cleared and counts from one again gives what is new by its time', () => {
    const take = open();
    take(events(1, 2, 3, 4));
    const late = events(50, 51).map(({ ts }) => ts);
    const anew = events(1, 2).map((event, index) => ({ ...event, ts: late[index] ?? '' }));
    expect(take(anew)).toEqual(anew);
    expect(take(anew)).toEqual([]);
  });

  it('[SHOST-21] without numbers is given on by place, and from its beginning when the place is gone', () => {
    const take = open();
    expect(take(unnumbered('a', 'b'))).toEqual(unnumbered('a', 'b'));
    expect(take(unnumbered('a', 'b', 'b'))).toEqual(unnumbered('b'));
    expect(take(unnumbered('b', 'c'))).toEqual(unnumbered('c'));
    expect(take(unnumbered('x', 'y'))).toEqual(unnumbered('x', 'y'));
    expect(take([])).toEqual([]);
    expect(take(unnumbered('z'))).toEqual(unnumbered('z'));
  });
});
