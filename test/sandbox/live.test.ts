/** What a page knows while it reads everything anew and is told of changes at the same time. */
import { until } from 'holdfast/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mergeRuns } from '../../web/src/run-as/merge-runs.ts';

type Listener = (event: { data: string }) => void;

/** The stream of events of the server of this test. */
class Stream {
  static last: Stream;
  readonly #listeners = new Map<string, Listener>();

  constructor() {
    Stream.last = this;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  tell(type: string, data: object): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(data) });
  }
}

/** Answers of the server that wait to be given, by their path. */
const waiting = new Map<string, (body: object) => void>();

const give = async (path: string, body: object) => {
  const answer = await until(() => waiting.get(path), { what: `a request for ${path}` });
  waiting.delete(path);
  answer(body);
};

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal('EventSource', Stream);
  vi.stubGlobal(
    'fetch',
    (path: string) =>
      new Promise((resolve) => {
        waiting.set(path.replace('./api/', ''), (body) => resolve(new Response(JSON.stringify(body))));
      }),
  );
});

afterEach(() => {
  waiting.clear();
  vi.unstubAllGlobals();
});

const call = (state: string) => ({ callId: 'c', taskId: 't', state, questions: [] });
const task = (status: string, lastSeq: number) => ({ taskId: 't', status, lastSeq });

/** A page that has begun to read everything. */
async function openPage() {
  const { live } = await import('../../web/src/live/live.ts');
  await live.open();
  Stream.last.tell('reset', {});
  await give('state', { now: Date.now(), mode: 'sandbox', isDemo: true });
  return { live, stream: Stream.last };
}

it('[SAND-109] a call that ends while the page reads everything stays ended, and a story goes on', async () => {
  const { live, stream } = await openPage();
  await give('calls', { calls: [call('pending'), { ...call('ended'), callId: 'older' }] });
  await give('story', { step: 'idle' });
  stream.tell('call', call('ended'));
  stream.tell('story', { step: 'killed' });
  await give('servers', { servers: [] });
  await until(() => live.calls.has('older'), { what: 'what was read' });
  expect(live.calls.get('c')).toMatchObject({ state: 'ended' });
  expect(live.story).toEqual({ step: 'killed' });
});

it('[SAND-109] a task that ends while the page reads the tasks stays ended', async () => {
  const { live, stream } = await openPage();
  await give('calls', { calls: [call('pending')] });
  await give('story', { step: 'idle' });
  await give('servers', { servers: [] });
  await until(() => waiting.has('tasks?limit=500'), { what: 'the request for the tasks' });
  stream.tell('task', task('completed', 5));
  await give('tasks?limit=500', { tasks: [task('input_required', 3), { ...task('queued', 1), taskId: 'other' }] });
  await until(() => live.tasks.has('other'), { what: 'what was read' });
  expect(live.tasks.get('t')).toMatchObject({ status: 'completed' });
});

it('[SAND-109] a call that the server does not know any more is gone after that', async () => {
  const { live, stream } = await openPage();
  live.calls.set('gone', call('ended') as never);
  stream.tell('call', { ...call('pending'), callId: 'new' });
  await give('calls', { calls: [call('ended')] });
  await give('story', { step: 'idle' });
  await give('servers', { servers: [] });
  await until(() => live.calls.has('c'), { what: 'what was read' });
  expect([...live.calls.keys()].sort()).toEqual(['c', 'new']);
});

it('[SAND-109] a run that was heard of while all were read stays as it was heard of', () => {
  const read = [
    { runId: 'b', state: 'running' },
    { runId: 'a', state: 'ended' },
  ];
  const heard = [
    { runId: 'c', state: 'running' },
    { runId: 'b', state: 'ended' },
  ];
  expect(mergeRuns(read, heard).map(({ runId, state }) => `${runId} ${state}`)).toEqual([
    'c running',
    'b ended',
    'a ended',
  ]);
});
