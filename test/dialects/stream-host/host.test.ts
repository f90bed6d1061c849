import { describe, expect, it } from 'vitest';
import type { CallOutcome, Notification } from '../../../src/dialects/host-port.ts';
import { expectsStream } from '../../../src/dialects/stream/expect-stream.ts';
import { followStream } from '../../../src/dialects/stream/host-follow.ts';
import { readStream, type StreamHandle } from '../../../src/dialects/stream/host-half.ts';
import { createFakePort, error } from '../fake-port.ts';
import { assistant, chunks, completed, done, event, IDS, system, told, whole } from './run-notices.ts';

const HANDLE: StreamHandle = { dialect: 'stream', rpcId: '7', tool: 'codex_app_window_run', meta: {} };
const CALL = { rpcId: '7', tool: 'codex_app_window_run', meta: {} };
const ACK = { content: [{ type: 'text', text: '调用成功' }] };

/** Follows a run that is told in this order; time passes only afterwards, where it is said to. */
async function follow(notifications: readonly Notification[], { passMs = 0 } = {}) {
  const port = createFakePort(() => error(-32601));
  let outcome: CallOutcome | undefined;
  const following = followStream(HANDLE, port).then((ended) => {
    outcome = ended;
  });
  for (const notification of notifications) port.tell(notification);
  await port.pass(passMs);
  const isOpen = outcome === undefined;
  if (isOpen) port.stop(new Error('left'));
  await following.catch(() => {});
  return { outcome, updates: port.updates, isOpen };
}

const textOf = (outcome: CallOutcome | undefined) =>
  outcome?.kind === 'result' ? (outcome.result.content as unknown as { text: string }[])[0]?.text : outcome;

describe('a call that is answered by a stream', () => {
  it('[SHOST-02] is known by what our servers say, or by what is known of it', () => {
    const stream = { method: 'app.window_run.stream', rpcId: 7 };
    const ours = { ...ACK, structuredContent: { status: 'accepted', taskId: 't', stream } };
    expect(readStream(ours, { ...CALL, isStreamed: false })).toEqual({ ...HANDLE, taskId: 't' });
    expect(readStream(ACK, { ...CALL, isStreamed: true })).toEqual(HANDLE);
    expect(readStream(ACK, { ...CALL, isStreamed: false })).toBeUndefined();
    expect(readStream({ ...ACK, isError: true }, { ...CALL, isStreamed: true })).toBeUndefined();
    expect(readStream({ ...ACK, structuredContent: { taskId: 't' } }, { ...CALL, isStreamed: false })).toBeUndefined();
  });

  it.each([
    [true, { tool: 'codex_app_window_run' }],
    [true, { tool: 'app.window_run' }],
    [false, { tool: 'window_run_list' }],
    [false, { tool: 'build' }],
    [true, { tool: 'build', option: true }],
    [true, { tool: 'build', meta: { stream: true } }],
    [true, { tool: 'Build', option: { tools: ['build'] } }],
    [false, { tool: 'other', option: { tools: ['build'] } }],
    [false, { tool: 'app_window_run', option: { tools: ['build'] } }],
    [false, { tool: 'app_window_run', option: false }],
    [false, { tool: 'app_window_run', option: true, meta: { stream: false } }],
  ])('[SHOST-02] it is %s that %j is expected to stream', (expected, call) => {
    expect(expectsStream({ option: undefined, meta: {}, ...call })).toBe(expected);
  });

  it('[SHOST-01] ends with the final text once it is whole and the run is over', async () => {
    const before = [event(1), whole('All done.')];
    expect(await follow(before)).toMatchObject({ isOpen: true });
    const { outcome } = await follow([...before, done()]);
    expect(outcome).toEqual({
      kind: 'result',
      isError: false,
      result: {
        content: [{ type: 'text', text: 'All done.' }],
        _meta: {
          'holdfast/stream': { status: 'completed', finishedAt: '2026-01-01T00:00:09.000Z', runId: 'run-1' },
        },
      },
    });
  });

  it('[SHOST-03] is told by the id of its request, as a number or as a text, and hears nothing of others', async () => {
    const asText = (one: Notification) => ({ ...one, params: { ...one.params, rpcId: '7' } });
    const other = (one: Notification) => ({ ...one, params: { ...one.params, rpcId: 8 } });
    const nameless = ({ method, params: { rpcId: _, ...params } }: Notification) => ({ method, params });
    const run = [event(1), whole('mine'), done()];
    expect(textOf((await follow(run.map(asText))).outcome)).toBe('mine');
    expect(await follow(run.map(other))).toMatchObject({ isOpen: true, updates: [] });
    expect(await follow(run.map(nameless))).toMatchObject({ isOpen: true, updates: [] });
  });

  it.each([
    ['.done', { method: 'codex_app.window_run.done', params: { ...IDS } }],
    ['.completed', completed()],
    ['a last status', told({ status: 'completed' })],
  ])('[SHOST-01] is over by %s', async (_, end) => {
    expect(textOf((await follow([whole('x'), end])).outcome)).toBe('x');
  });

  it('[SHOST-04] has its final text in chunks of any order, that never tear a character', async () => {
    const [first = '', second = ''] = ['ab\ud83d', '\ude0acd'];
    const [one, two] = chunks([first, second]) as [Notification, Notification];
    expect(textOf((await follow([two, one, one, done()])).outcome)).toBe('ab😊cd');
    const uncounted = chunks(['a', 'b', 'c'], {});
    expect(textOf((await follow([...uncounted, done()])).outcome)).toBe('abc');
    const unplaced = chunks(['a', 'b'], { chunkIndex: null });
    expect(textOf((await follow([...unplaced, done()])).outcome)).toBe('ab');
    expect(textOf((await follow([told({ text: 'by text', final: true }), done()])).outcome)).toBe('by text');
  });

  it('[SHOST-09] waits for chunks that come after the end, but not for ever', async () => {
    const [one, two] = chunks(['a', 'b']) as [Notification, Notification];
    expect(await follow([one, done()], { passMs: 1000 })).toMatchObject({ isOpen: true });
    expect(textOf((await follow([completed(), one, two])).outcome)).toBe('ab');
    const { outcome } = await follow([one, done()], { passMs: 2500 });
    expect(outcome).toMatchObject({ kind: 'result', result: { _meta: { 'holdfast/stream': { finalText: 'cut' } } } });
    expect(textOf(outcome)).toBe('a');
  });

  it('[SHOST-09] ends a while after its whole text when nobody says that it is over', async () => {
    expect(await follow([whole('x')], { passMs: 5000 })).toMatchObject({ isOpen: true });
    expect(textOf((await follow([whole('x')], { passMs: 12_000 })).outcome)).toBe('x');
  });

  it('[SHOST-08] that ends without a final text has what was said last, or says that there is none', async () => {
    const said = await follow([assistant(1, 'thinking'), assistant(2, 'the answer'), done()], { passMs: 2500 });
    expect(textOf(said.outcome)).toBe('the answer');
    const { outcome } = await follow([event(1), completed()], { passMs: 2500 });
    expect(textOf(outcome)).toBe('The run ended as completed, without a text.');
    expect(outcome).toMatchObject({ result: { _meta: { 'holdfast/stream': { finalText: 'none' } } } });
  });

  it.each(['failed', 'timeout'])('[SHOST-08] that ends as %s is an error with its text', async (status) => {
    const { outcome } = await follow([whole('it broke'), done(status)]);
    expect(outcome).toMatchObject({
      kind: 'error',
      error: { code: 'RUN_FAILED', message: 'it broke', data: { status } },
    });
    const bare = await follow([done(status)], { passMs: 2500 });
    expect(bare.outcome).toMatchObject({ kind: 'error', error: { message: `the run ended as ${status}` } });
  });

  it.each(['aborted', 'cancelled'])('[SHOST-08] that ends as %s is cancelled', async (status) => {
    expect((await follow([whole('stopped here'), done(status)])).outcome).toEqual({
      kind: 'cancelled',
      reason: 'stopped here',
    });
    const bare = await follow([done(status)], { passMs: 2500 });
    expect(bare.outcome).toEqual({ kind: 'cancelled', reason: `the run was ${status}` });
  });

  it('[SHOST-07] shows what is said whole, progress and status as such, and the rest by its line', async () => {
    const { updates } = await follow([
      system(1, { type: 'status', status: 'running' }),
      system(2, { type: 'progress', value: 0.5, message: 'half' }),
      assistant(3, 'A long\nanswer'),
      event(4),
      told({ text: 'a piece of text' }),
      event(5, { source: 'system', kind: 'status', status: 'aborting', event: null }),
      whole('the end'),
      done(),
    ]);
    expect(updates).toEqual([
      { type: 'status', status: 'running' },
      { type: 'progress', value: 0.5, message: 'half' },
      { type: 'text', text: 'A long\nanswer' },
      { type: 'text', text: 'line 4' },
      { type: 'text', text: 'a piece of text' },
      { type: 'status', status: 'aborting' },
    ]);
  });

  it.each([
    ['in its event', { source: 'system', event: { type: 'gap', from: 2, to: 5 } }],
    ['among its fields', { source: 'system', kind: 'gap', gap: { from: 2, to: 5 }, event: null }],
  ])('[SHOST-06] reports once what its server says to have dropped, %s', async (_, gap) => {
    const { updates } = await follow([event(1), event(2, gap), event(2, gap), event(5), whole('x'), done()]);
    expect(updates).toEqual([
      { type: 'text', text: 'line 1' },
      { type: 'gap', from: 2, to: 4 },
      { type: 'text', text: 'line 5' },
    ]);
  });

  it('[SHOST-14] is not harmed by fields that are missing or wrong', async () => {
    const odd: Notification[] = [null, 7, 'x', [], {}].flatMap((value) => [
      told({ event: value, text: value, chunkIndex: value, chunkCount: value }),
      told({ event: { seq: value, event: value, source: value }, final: value }),
      told({ finalTextChunk: value, runId: value, status: value, done: value }),
      told({ event: { source: 'system', event: { type: 'gap', from: value, to: value } } }),
    ]);
    const { outcome } = await follow([...odd, whole('fine'), done()]);
    expect(textOf(outcome)).toBe('fine');
  });

  it('[SHOST-10] is interrupted by a new connection, unless its text is whole', async () => {
    const port = createFakePort(() => error(-32601));
    const lost = followStream(HANDLE, port);
    port.tell(event(1));
    port.reconnect();
    expect(await lost).toEqual({
      kind: 'interrupted',
      reason: 'outcome unknown: the connection on which the run was told is gone',
    });
    const told2 = followStream(HANDLE, port);
    port.tell(whole('x'));
    port.reconnect();
    expect(textOf(await told2)).toBe('x');
  });

  it('[SHOST-01] rejects when nobody waits any longer', async () => {
    const port = createFakePort(() => error(-32601));
    const following = followStream(HANDLE, port);
    port.stop(new Error('enough'));
    await expect(following).rejects.toThrow('enough');
  });
});
