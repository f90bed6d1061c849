import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addSpecTools } from '../programs/dialects/tasks-2025-tools.js';
import type { Frames, Message } from '../server/open-http.ts';
import {
  connect,
  EVERYTHING,
  type Legacy,
  nextOf,
  openLegacy,
  PACE,
  RELATED,
  STATUS,
  speak,
  YES,
} from './open-2025.ts';
import { openPipe } from './open-stdio-2025.ts';

const ASK = 'elicitation/create';
const SAID_YES = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' };
const VERY = { action: 'accept', content: { sure: 'very' } };

/** Reads a stream on; all that came so far. */
function collect(frames: Pick<Frames, 'message'>): Message[] {
  const seen: Message[] = [];
  const read = async (): Promise<void> => {
    seen.push(await frames.message());
    return read();
  };
  read().catch(() => {});
  return seen;
}

const questions = (seen: readonly Message[]) => seen.filter(({ method }) => method === ASK).map(({ id }) => id);

async function startAsking(client: Legacy): Promise<{ taskId: string; id: string }> {
  const { taskId } = await client.start('sure');
  return { taskId, id: `holdfast:${taskId}:q1` };
}

/** A stream that the test can cut. */
function createCut() {
  const cut = new AbortController();
  onTestFinished(() => cut.abort());
  return cut;
}

describe('a question inside a task', () => {
  it('[T25-38] reaches the client on its standing stream', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId, id } = await startAsking(client);
    const params = { mode: 'form', message: 'Sure?', _meta: { [RELATED]: { taskId } } };
    expect(await nextOf(news, ASK)).toMatchObject({ id, params });
    expect((await client.answer(id, YES)).status).toBe(202);
    await client.untilStatus(taskId, 'completed');
  });

  it('[T25-38] finds the standing stream open from the first moment, however long its silences may be', async () => {
    const client = await openLegacy({ http: { firstCommentMs: 600_000, keepAliveMs: 600_000 } });
    const news = await client.listen();
    const { id } = await startAsking(client);
    expect((await nextOf(news, ASK)).id).toBe(id);
  });

  it('[T25-38] reaches the client on tasks/result, with no other stream', async () => {
    const client = await openLegacy();
    const { taskId, id } = await startAsking(client);
    const waiting = await client.request('tasks/result', { taskId });
    expect(await nextOf(waiting.frames, ASK)).toMatchObject({ id, params: { _meta: { [RELATED]: { taskId } } } });
    await client.answer(id, YES);
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'sure: true' }] });
  });

  it('[T25-39] may be for the model: sampling goes the same two ways', async () => {
    const client = await openLegacy();
    const answered = { content: [{ text: JSON.stringify(SAID_YES.content) }] };
    const first = await client.start('sample');
    const waiting = await client.request('tasks/result', { taskId: first.taskId });
    const onResult = await nextOf(waiting.frames, 'sampling/createMessage');
    expect(onResult.params).toMatchObject({ maxTokens: 10, _meta: { [RELATED]: { taskId: first.taskId } } });
    await client.answer(onResult.id, SAID_YES);
    expect((await waiting.answer()).result).toMatchObject(answered);
    const news = await client.listen();
    const { taskId } = await client.start('sample');
    await client.answer((await nextOf(news, 'sampling/createMessage')).id, SAID_YES);
    expect(await client.ask('tasks/result', { taskId })).toMatchObject(answered);
  });

  it('[T25-40] is asked once, although standing stream and tasks/result are both open', async () => {
    const client = await openLegacy();
    const news = collect(await client.listen());
    for (let n = 0; n < 5; n++) {
      const { taskId, id } = await startAsking(client);
      const waiting = await Promise.all([1, 2].map(() => client.request('tasks/result', { taskId })));
      const streams = [news, ...waiting.map(({ frames }) => collect(frames))];
      const asked = () => streams.flatMap(questions).filter((one) => one === id);
      await until(() => asked().length > 0, { what: 'the question' });
      await client.answer(id, YES);
      const hasEnd = (seen: readonly Message[]) => seen.some(({ result }) => result !== undefined);
      await until(() => streams.slice(1).every(hasEnd), { what: 'both results' });
      expect(asked()).toEqual([id]);
    }
  });

  it('[T25-41] is asked on tasks/result when the standing stream that carried it drops', async () => {
    const client = await openLegacy();
    const cut = createCut();
    const news = await client.listen(cut.signal);
    const { taskId, id } = await startAsking(client);
    expect((await nextOf(news, ASK)).id).toBe(id);
    const waiting = await client.request('tasks/result', { taskId });
    cut.abort();
    expect((await nextOf(waiting.frames, ASK)).id).toBe(id);
    await client.answer(id, YES);
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'sure: true' }] });
  });

  it('[T25-41] is asked on the standing stream when the tasks/result that carried it drops', async () => {
    const client = await openLegacy();
    const { taskId, id } = await startAsking(client);
    const cut = createCut();
    const waiting = await client.request('tasks/result', { taskId }, cut.signal);
    expect((await nextOf(waiting.frames, ASK)).id).toBe(id);
    const news = await client.listen();
    cut.abort();
    expect((await nextOf(news, ASK)).id).toBe(id);
  });

  it('[T25-41] is asked again on the next standing stream', async () => {
    const client = await openLegacy();
    const cut = createCut();
    const news = await client.listen(cut.signal);
    const { taskId, id } = await startAsking(client);
    await nextOf(news, ASK);
    cut.abort();
    expect((await nextOf(await client.listen(), ASK)).id).toBe(id);
    await client.answer(id, YES);
    await client.untilStatus(taskId, 'completed');
  });
});

describe('a standing stream at another server on the same store', () => {
  it('[T25-42] takes up what the session began: its questions, its progress and its end', async () => {
    const client = await openLegacy();
    const second = await client.rig.serve({ http: PACE }, addSpecTools);
    const { taskId, id } = await startAsking(client);
    const steps = await client.start('steps', { _meta: { progressToken: 'p' } });
    await client.untilStatus(taskId, 'input_required');
    await until(async () => (await client.rig.tasks.get(steps.taskId)).progress?.value === 0.5);
    const there = speak(second, client.headers);
    const news = collect(await there.listen());
    await until(() => questions(news).includes(id), { what: 'the question' });
    await there.answer(id, YES);
    const told = (wanted: string, status: string) =>
      news.some(({ method, params }) => method === STATUS && params?.taskId === wanted && params.status === status);
    await until(() => told(taskId, 'completed'), { what: 'the end' });
    // Whichever server runs it.
    for (const one of [client, there]) for (const gate of ['steps', 'end']) await one.release(gate);
    await until(() => told(steps.taskId, 'completed'), { what: 'the other end' });
    const progress = news.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => params?.progress)).toEqual([0.75]);
  });

  it('[T25-43] says nothing of other sessions of the same principal', async () => {
    const client = await openLegacy();
    const second = await client.rig.serve({ http: PACE }, addSpecTools);
    const { id } = await startAsking(client);
    const other = await connect(client.url, { capabilities: EVERYTHING });
    const mine = await startAsking(other);
    const news = collect(await speak(second, other.headers).listen());
    await until(() => questions(news).includes(mine.id), { what: 'its own question' });
    expect(questions(news)).not.toContain(id);
  });
});

describe('an answer that does not fit', () => {
  it('[T25-44] is refused over HTTP with the reason, and the question is asked again, saying it', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId, id } = await startAsking(client);
    await nextOf(news, ASK);
    const refused = await client.answer(id, VERY);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: -32602, message: expect.stringContaining('q1') } });
    const again = await nextOf(news, ASK);
    expect(again.id).toBe(`holdfast/2:${taskId}:q1`);
    expect(again.params).toMatchObject({
      message: expect.stringMatching(/^Sure\?\n\nPlease answer again: /),
      _meta: { [RELATED]: { taskId } },
    });
    await client.answer(again.id, YES);
    expect(await client.ask('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'sure: true' }] });
  });

  it('[T25-44] is reported over stdio, and the question is asked again', async () => {
    const pipe = await openPipe();
    const { taskId } = await pipe.start('sure');
    const isFor = (turn: string) => (message: Message) => message.id === `holdfast${turn}:${taskId}:q1`;
    const first = await pipe.until(isFor(''), 'the question');
    pipe.post({ id: first.id, result: { action: 'perhaps' } });
    const again = await pipe.until(isFor('/2'), 'the question once more');
    expect(again.params?.message).toContain('"perhaps"');
    pipe.post({ id: again.id, result: YES });
    expect((await pipe.result(taskId)).result).toMatchObject({ content: [{ text: 'sure: true' }] });
    expect(pipe.stderr()).toContain('"perhaps"');
  });

  it('[T25-45] is asked for three times in all; then the tool hears that nobody answered, and the task ends', async () => {
    const pipe = await openPipe();
    const { taskId } = await pipe.start('sure');
    for (const turn of ['', '/2', '/3']) {
      const id = `holdfast${turn}:${taskId}:q1`;
      await pipe.until((message) => message.id === id, id);
      pipe.post({ id, result: VERY });
    }
    const refused = { isError: true, _meta: { 'holdfast/declined': { key: 'q1', action: 'cancel' } } };
    expect((await pipe.result(taskId)).result).toMatchObject(refused);
    expect(questions(pipe.messages)).toHaveLength(3);
  });

  it('[T25-45] to an earlier request does not count against the one that is open', async () => {
    const client = await openLegacy();
    const news = await client.listen();
    const { taskId, id } = await startAsking(client);
    for (let n = 0; n < 4; n++) expect((await client.answer(id, VERY)).status).toBe(400);
    expect((await nextOf(news, ASK)).id).toBe(id);
    const again = await nextOf(news, ASK);
    expect(again.id).toBe(`holdfast/2:${taskId}:q1`);
    await client.answer(again.id, YES);
    await client.untilStatus(taskId, 'completed');
  });

  it('[T25-46] to a held call is asked for again on its line', async () => {
    const pipe = await openPipe();
    pipe.post({ id: 'call', method: 'tools/call', params: { name: 'sure', arguments: {} } });
    const first = await pipe.until(({ method }) => method === ASK, 'the question');
    expect(first.params).not.toHaveProperty('_meta');
    pipe.post({ id: first.id, result: VERY });
    const again = await pipe.until(({ method, id }) => method === ASK && id !== first.id, 'the question once more');
    pipe.post({ id: again.id, result: YES });
    const answer = await pipe.until(({ id }) => id === 'call', 'the result');
    expect(answer.result).toMatchObject({ content: [{ text: 'sure: true' }] });
  });
});

describe('a question that is cancelled faster than anybody reads', () => {
  // However long it takes on a busy machine.
  const FAST = { env: { SLOW_CLOCK: '1' } };

  it('[T25-58] is asked once more: its client may not have known the task yet', async () => {
    const pipe = await openPipe(FAST);
    const { taskId } = await pipe.start('sure');
    const first = await pipe.until(({ method }) => method === ASK, 'the question');
    pipe.post({ id: first.id, result: { action: 'cancel' } });
    const again = await pipe.until(({ id }) => id === `holdfast/2:${taskId}:q1`, 'the question once more');
    expect(again.params?.message).toBe(first.params?.message);
    pipe.post({ id: again.id, result: YES });
    expect((await pipe.result(taskId)).result).toMatchObject({ content: [{ text: 'sure: true' }] });
  });

  it('[T25-58] is cancelled when it is so again', async () => {
    const pipe = await openPipe(FAST);
    const { taskId } = await pipe.start('sure');
    for (const turn of ['', '/2']) {
      const id = `holdfast${turn}:${taskId}:q1`;
      await pipe.until((message) => message.id === id, id);
      pipe.post({ id, result: { action: 'cancel' } });
    }
    const refused = { isError: true, _meta: { 'holdfast/declined': { key: 'q1', action: 'cancel' } } };
    expect((await pipe.result(taskId)).result).toMatchObject(refused);
    expect(questions(pipe.messages)).toHaveLength(2);
  });
});
