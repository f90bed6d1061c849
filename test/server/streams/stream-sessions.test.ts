/** Streamed calls over HTTP: the standing stream of a session, wherever and whenever it is open. */
import type { HoldfastServer } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { Backpressure } from '../../../src/server/sessions/backpressure.ts';
import { askModern, openJobSession } from '../jobs/open-job-calls.ts';
import { type Frames, type HttpRig, type Message, openHttp, readFrames } from '../open-http.ts';

const META = { stream: true };

interface Params {
  readonly runId: string;
  readonly event?: { readonly seq: number; readonly from?: number };
  readonly finalText?: string;
  readonly done?: boolean;
}

/** What is told of a run until it is completed. */
async function readRun(frames: Frames): Promise<Params[]> {
  const told: Params[] = [];
  for (;;) {
    const message = await frames.message();
    const { method = '' } = message;
    if (!method.includes('.window_run.')) continue;
    told.push(toParams(message));
    if (method.endsWith('.completed')) return told;
  }
}

const toParams = ({ params }: Message) => params as unknown as Params;
/** Every number that was told; an event may stand for several. */
const toSeqs = (told: readonly Params[]) =>
  told.flatMap(({ event }) => {
    if (!event) return [];
    const { seq, from = seq } = event;
    return Array.from({ length: seq - from + 1 }, (_, index) => from + index);
  });

async function openStreams(rig: HttpRig, url: string) {
  const session = await openJobSession(url);
  const begin = async (name: string, at = url): Promise<string> => {
    const { result } = await session.request('tools/call', { name, arguments: {}, _meta: META }, at);
    const { taskId } = (result?.structuredContent ?? {}) as { taskId?: string };
    if (taskId === undefined) throw new Error(`no stream: ${JSON.stringify(result)}`);
    return taskId;
  };
  const untilOver = (taskId: string) => untilStatus(rig.tasks, taskId, 'completed');
  return { ...session, begin, untilOver };
}

describe('a streamed call of a session', () => {
  it('[STREAM-23] is told on its standing stream, and one opened late is told all of it, once', async () => {
    const rig = await openHttp();
    const session = await openStreams(rig, await rig.serve());
    const late = await session.begin('wait');
    rig.open();
    await session.untilOver(late);
    const frames = await session.listen();
    const told = await readRun(frames);
    expect(told.every(({ runId }) => runId === late)).toBe(true);
    expect(toSeqs(told)).toEqual([1, 2, 3]);
    expect(told.slice(-3)).toMatchObject([{ finalText: 'waited' }, { done: true }, { status: 'completed' }]);
    const again = await session.listen();
    const live = await session.begin('wait');
    expect((await readRun(again)).every(({ runId }) => runId === live)).toBe(true);
  });

  it('[STREAM-24] is told from its beginning on the next stream when one was lost, and its end once', async () => {
    const rig = await openHttp();
    let server: HoldfastServer | undefined;
    const url = await rig.serve({}, (made) => {
      server = made;
    });
    const session = await openStreams(rig, url);
    const headers = { ...session.headers, host: 'localhost', accept: 'text/event-stream' };
    const lost = readFrames((await server?.fetch(new Request(url, { headers }))) as Response);
    const runId = await session.begin('wait');
    await until(async () => toParams(await lost.message()).event?.seq === 3, { what: 'event 3' });
    await lost.cancel();
    const next = await session.listen();
    rig.open();
    const told = await readRun(next);
    expect(toSeqs(told)).toEqual([1, 2, 3]);
    expect(told.filter(({ done }) => done)).toMatchObject([{ runId }]);
  });

  it('[STREAM-25] is told on whichever server the stream is open, once', async () => {
    const rig = await openHttp();
    const [first, second] = [await rig.serve(), await rig.serve()];
    const session = await openStreams(rig, first);
    const there = await session.listen(second);
    const runId = await session.begin('wait', first);
    await untilStatus(rig.tasks, runId, 'working');
    rig.open();
    const told = await readRun(there);
    expect(toSeqs(told)).toEqual([1, 2, 3]);
    const here = await session.listen(first);
    const other = await session.begin('wait', first);
    // Both streams are open now, and the end is told on one of them.
    const reading = [here, there].map((frames) => readRun(frames));
    for (const one of reading) one.catch(() => {});
    expect((await Promise.race(reading)).every((one) => one.runId === other)).toBe(true);
  });

  it('[STREAM-26] modern HTTP has no such stream: the call is held, or a task for who declares them', async () => {
    const rig = await openHttp();
    const url = await rig.serve();
    const call = async (name: string, tasks: boolean) => {
      const params = { name, arguments: { a: 1, b: 2 }, _meta: META };
      return (await askModern(url, { method: 'tools/call', params, tasks })).result;
    };
    expect(await call('add', false)).toMatchObject({ content: [{ text: '3' }] });
    expect(await call('confirm', true)).toMatchObject({ resultType: 'task' });
    const { tasks } = await rig.tasks.list({ tool: 'confirm' } as object);
    for (const { taskId } of tasks) await rig.tasks.cancel(taskId);
  });
});

describe('a stream that is read slowly', () => {
  it('[STREAM-27] holds the telling up, and loses nothing of what is kept', async () => {
    const rig = await openHttp();
    let server: HoldfastServer | undefined;
    const url = await rig.serve({}, (made) => {
      server = made;
      made.tool('chatty', {
        async run(_, task) {
          for (let line = 0; line < 1500; line++) await task.stream(`line ${line}`);
          return 'said';
        },
      });
    });
    const session = await openStreams(rig, url);
    const headers = { ...session.headers, host: 'localhost', accept: 'text/event-stream' };
    const frames = readFrames((await server?.fetch(new Request(url, { headers }))) as Response);
    await session.untilOver(await session.begin('chatty'));
    const told = await readRun(frames);
    // Submitted, claimed, and every line.
    expect(toSeqs(told)).toEqual(Array.from({ length: 1502 }, (_, index) => index + 1));
    expect(told.slice(-3)).toMatchObject([{ finalText: 'said' }, { done: true }, { status: 'completed' }]);
  });

  it('[STREAM-27] is not sent more than a few frames ahead, and is free when its reader goes', async () => {
    const gate = new Backpressure(2);
    let isReady = false;
    const wait = () => {
      isReady = false;
      void gate.ready().then(() => {
        isReady = true;
      });
    };
    gate.sent();
    await gate.ready();
    gate.sent();
    wait();
    await Promise.resolve();
    expect(isReady).toBe(false);
    gate.taken();
    await until(() => isReady);
    gate.sent();
    wait();
    gate.reset();
    await until(() => isReady);
  });
});
