/** Streamed calls on stdio: what is told, in which order, and which calls are streamed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../open-http.ts';
import { openPipe, type Pipe } from '../open-pipe.ts';

const STREAM = 'my_app.window_run.stream';
const COMPLETED = 'my_app.window_run.completed';

const toParams = (messages: readonly Message[]) => messages.map(({ params = {} }) => params);
const toAck = ({ result }: Message) => result?.structuredContent as { taskId: string; status: string };

/** What was told of a run, with its answer and place among all that was heard. */
async function runWhole(args: object, options: Parameters<Pipe['call']>[2] & { name?: string; on?: Pipe } = {}) {
  const { name = 'run', on = pipe, id = `c${on.heard.length}`, ...rest } = options;
  const answer = await on.call(name, args, { ...rest, id });
  const news = await on.whole(id);
  return { id, answer, news, params: toParams(news) };
}

let pipe: Pipe;
const ends: (() => Promise<unknown>)[] = [];

// One server for all that a connection can tell apart by the ids of its calls.
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-stream-'));
  ends.push(() => rm(dir, { recursive: true, force: true }));
  pipe = await openPipe({ dir, onEnd: (end) => ends.push(end) });
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe('a streamed call', () => {
  it('[STREAM-10][STREAM-11][STREAM-12] is acknowledged, then tells each event, the final text, done and completed', async () => {
    const piece = { source: 'codex', event: { type: 'turn.started' } };
    const { id, answer, news, params } = await runWhole({ pieces: [piece, 'a line'], result: 'all done' });
    const { taskId } = toAck(answer);
    expect(toAck(answer)).toEqual({ status: 'accepted', taskId, stream: { method: STREAM, rpcId: id } });
    expect(pipe.heard.indexOf(answer)).toBeLessThan(pipe.heard.indexOf(news[0] as Message));
    const ids = { requestId: taskId, rpcId: id, windowId: 'run', runId: taskId };
    expect(news.map(({ method }) => method)).toEqual([...Array(6).fill(STREAM), COMPLETED]);
    expect(params.slice(0, 4).map(({ event, text, ...rest }) => [event, text, rest])).toEqual([
      [toEvent(1, { type: 'status', status: 'queued' }), expect.stringMatching(/^\[.*Z\] status queued$/), ids],
      [toEvent(2, { type: 'status', status: 'running' }), expect.stringContaining('status running'), ids],
      [{ seq: 3, ts: expect.any(String), ...piece }, expect.stringMatching(/\] turn\.started$/), ids],
      [{ seq: 4, ts: expect.any(String), source: 'raw', text: 'a line' }, expect.stringContaining('raw a line'), ids],
    ]);
    expect(params[4]).toEqual({
      ...ids,
      finalText: 'all done',
      text: 'all done',
      final: true,
      finalTextChunk: true,
      chunkId: expect.any(String),
      chunkIndex: 0,
      chunkCount: 1,
      finalTextComplete: true,
    });
    const finishedAt = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(params[5]).toEqual({ ...ids, done: true, status: 'completed', finishedAt });
    expect(params[6]).toEqual({ ...ids, status: 'completed', finishedAt, result: '😊' });
  });

  it('[STREAM-13] tells its failure and its cancel as its final text', async () => {
    const failed = await runWhole({ fails: 'out of paper' });
    expect(failed.params.slice(-3)).toMatchObject([
      { finalText: 'out of paper', finalTextComplete: true },
      { done: true, status: 'failed' },
      { status: 'failed', result: '😊' },
    ]);
    const silent = await runWhole({ result: { content: [], isError: true } });
    expect(silent.params.at(-3)).toMatchObject({ finalText: 'run failed, without a word' });
    const ack = await pipe.call('run', { gate: 'never' }, { id: 'x' });
    pipe.send({ id: 'y', method: 'tasks/cancel', params: { taskId: toAck(ack).taskId } });
    expect(toParams(await pipe.whole('x')).slice(-3)).toMatchObject([
      { finalText: expect.stringContaining('Cancelled: ') },
      { done: true, status: 'aborted' },
      { status: 'aborted' },
    ]);
  });

  it('[STREAM-14] tells a long final text in chunks that break no character, with LF for CRLF', async () => {
    const text = `${'a'.repeat(3999)}😊\r\n${'b'.repeat(8000)}`;
    const { params } = await runWhole({ result: text });
    const chunks = params.filter(({ final }) => final === true);
    expect(chunks.map(({ chunkIndex, chunkCount }) => [chunkIndex, chunkCount])).toEqual(
      [0, 1, 2, 3].map((i) => [i, 4]),
    );
    expect(chunks.map(({ finalText }) => finalText).join('')).toBe(text.replace('\r\n', '\n'));
    expect(chunks.map(({ finalText }) => (finalText as string).length)).toEqual([3999, 4000, 4000, 3]);
    expect(new Set(chunks.map(({ chunkId }) => chunkId)).size).toBe(1);
    expect(chunks.some(({ finalTextComplete }) => finalTextComplete === true)).toBe(false);
  });

  it('[STREAM-15] is acknowledged at once although others wait before it', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) expect(toAck(await pipe.call('run', { gate: 'queue' }, { id })).status).toBe('accepted');
    await pipe.call('open', { gate: 'queue' });
    for (const id of ids) expect(toParams(await pipe.whole(id)).filter(({ done }) => done)).toHaveLength(1);
  });

  it('[STREAM-16] names the call by its id as it came, the window and the session', async () => {
    const meta = { window: 'w-7', sessionId: 's-1' };
    const numbered = await runWhole({}, { name: 'window_run', id: 99, meta });
    expect(numbered.news.at(-1)).toMatchObject({
      method: 'codex_app.window_run.completed',
      params: { rpcId: 99, windowId: 'w-7', sessionId: 's-1' },
    });
    const nested = await runWhole({}, { name: 'asked', meta: { stream: true, chatos: { sessionId: 's-2' } } });
    expect(nested.params[0]).toMatchObject({ sessionId: 's-2', windowId: 'asked' });
  });

  it('[STREAM-17] tells a task that it shares by its key to each of its calls', async () => {
    const meta = { 'holdfast/idempotencyKey': 'k' };
    const first = await pipe.call('run', { gate: 'shared' }, { id: 's1', meta });
    const second = await pipe.call('run', { gate: 'shared' }, { id: 's2', meta });
    expect(toAck(second).taskId).toBe(toAck(first).taskId);
    await pipe.call('open', { gate: 'shared' });
    for (const id of ['s1', 's2']) expect(toParams(await pipe.whole(id)).filter(({ done }) => done)).toHaveLength(1);
  });
});

describe('which calls are streamed', () => {
  it('[STREAM-18] those with _meta.stream, and plain ones of a tool that streams unless they say no', async () => {
    const streams = async (name: string, meta: object, task?: object) =>
      toAck(await pipe.call(name, {}, { meta, ...(task && { task }) }))?.status === 'accepted';
    expect(await streams('run', {})).toBe(true);
    expect(await streams('run', { stream: false })).toBe(false);
    expect(await streams('run', {}, {})).toBe(false);
    expect(await streams('run', { 'holdfast/job': true })).toBe(false);
    expect(await streams('run', { stream: true }, {})).toBe(true);
    expect(await streams('asked', {})).toBe(false);
    expect(await streams('asked', { stream: true })).toBe(true);
    expect(await streams('silent', { stream: true })).toBe(false);
  });

  it('[STREAM-19] a task id comes before, and its call hears completed once and no stream', async () => {
    const meta = { taskId: 'h-1', stream: true };
    const { answer, news } = await runWhole({}, { name: 'window_run', id: 'p', meta });
    expect(toAck(answer)).toEqual({ status: 'accepted', taskId: 'h-1' });
    expect(news).toMatchObject([{ method: 'codex_app.window_run.completed', params: { requestId: 'h-1' } }]);
    expect(pipe.heard.indexOf(answer)).toBeLessThan(pipe.heard.indexOf(news[0] as Message));
  });

  it('[STREAM-20] every other form of such a tool hears completed once', async () => {
    for (const [id, options] of [
      ['held', { meta: { stream: false } }],
      ['job', { meta: { 'holdfast/job': true } }],
      ['task', { task: {} }],
    ] as const) {
      const { news } = await runWhole({}, { id, ...options });
      expect(
        news.map(({ method }) => method),
        id,
      ).toEqual([COMPLETED]);
    }
  });

  it('[STREAM-33] a tool that streams is listed without its output schema, which the acknowledgement does not fit', async () => {
    pipe.send({ id: 'list', method: 'tools/list', params: {} });
    const { result } = await until(() => pipe.heard.find(({ id }) => id === 'list'), { what: 'the list' });
    const tools = result?.tools as { name: string; outputSchema?: object }[];
    expect(tools.find(({ name }) => name === 'structured')).not.toHaveProperty('outputSchema');
    const { params } = await runWhole({}, { name: 'structured' });
    expect(params.at(-3)).toMatchObject({ finalText: '{"n":1}' });
  });

  it('[STREAM-21] an illegal _meta.stream is refused', async () => {
    for (const stream of ['yes', 1, null]) {
      const { error } = await pipe.call('run', {}, { meta: { stream } });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('expected true or false') });
    }
  });

  it('[STREAM-22] modern: as on the older revision, and a client that declares tasks gets a task', async () => {
    const plain = await openPipe({ era: 'modern' });
    const { params } = await runWhole({ result: 'modern' }, { on: plain });
    expect(params.at(-3)).toMatchObject({ finalText: 'modern' });
    const declaring = await openPipe({ era: 'modern', tasks: true });
    expect((await declaring.call('run', { gate: 'g' })).result).toMatchObject({ resultType: 'task' });
    const asked = await runWhole({}, { on: declaring, meta: { stream: true } });
    expect(asked.params.at(-1)).toMatchObject({ status: 'completed' });
    await declaring.call('open', { gate: 'g' });
  });
});

function toEvent(seq: number, event: object) {
  return { seq, ts: expect.any(String), source: 'system', event };
}
