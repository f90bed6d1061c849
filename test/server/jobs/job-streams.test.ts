import type { HoldfastServer } from 'holdfast';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openHttp, postModern, readFrames, SUBSCRIPTION_ID } from '../open-http.ts';
import { addJobTools, askModern, JOB_META, nextOf, openJobSession, serveJobs, toReport } from './open-job-calls.ts';

const RESULT = 'notifications/tool_result';
const PROGRESS = 'notifications/progress';

describe('a legacy session', () => {
  it('[JOB-23] hears of progress and the result on its standing stream', async () => {
    const rig = await openHttp();
    const session = await openJobSession(await serveJobs(rig));
    const frames = await session.listen();
    const jobId = await session.begin('wait');
    expect(await frames.message()).toMatchObject({ method: PROGRESS, params: { job_id: jobId, progress: 0.5 } });
    rig.open();
    expect(await frames.message()).toMatchObject({
      method: RESULT,
      params: { job_id: jobId, result: { success: true, data: { content: [{ text: 'waited' }] } } },
    });
  });

  it('[JOB-24] is not told where in the code a job failed, unless the owner says so', async () => {
    const rig = await openHttp();
    const details = async (url: string) => {
      const session = await openJobSession(url);
      const frames = await session.listen();
      await session.begin('broken');
      const { result } = (await nextOf(frames, RESULT)).params as { result: { messages: { details: string }[] } };
      return result.messages[0]?.details;
    };
    expect(await details(await serveJobs(rig))).toBe('no ink');
    expect(await details(await serveJobs(rig, { errorDetails: true }))).toMatch(/no ink\n\s+at /);
  });

  it('[JOB-25] that opens its stream late gets the result, once', async () => {
    const rig = await openHttp();
    const session = await openJobSession(await serveJobs(rig));
    const first = await session.begin('fixed');
    await untilStatus(rig.tasks, first, 'completed');
    expect(await nextOf(await session.listen(), RESULT)).toMatchObject({ params: { job_id: first } });
    const again = await session.listen();
    const second = await session.begin('fixed');
    expect(await nextOf(again, RESULT)).toMatchObject({ params: { job_id: second } });
  });

  it('[JOB-26] whose stream was dropped gets the result when it opens another, once', async () => {
    const rig = await openHttp();
    let server: HoldfastServer | undefined;
    const url = await rig.serve({}, (made) => {
      server = made;
      addJobTools(made);
    });
    const session = await openJobSession(url);
    const headers = { ...session.headers, host: 'localhost', accept: 'text/event-stream' };
    const frames = readFrames((await server?.fetch(new Request(url, { headers }))) as Response);
    const first = await session.begin('wait');
    await nextOf(frames, PROGRESS);
    await frames.cancel();
    rig.open();
    await untilStatus(rig.tasks, first, 'completed');
    expect(await nextOf(await session.listen(), RESULT)).toMatchObject({ params: { job_id: first } });
    const again = await session.listen();
    const second = await session.begin('fixed');
    expect(await nextOf(again, RESULT)).toMatchObject({ params: { job_id: second } });
  });

  it('[JOB-27] hears of a job on whichever server its stream is open, once', async () => {
    const rig = await openHttp();
    const [first, second] = [await serveJobs(rig), await serveJobs(rig)];
    const session = await openJobSession(first);
    const there = await session.listen(second);
    const jobId = await session.begin('wait', {}, first);
    await untilStatus(rig.tasks, jobId, 'working');
    rig.open();
    expect(await nextOf(there, RESULT)).toMatchObject({ params: { job_id: jobId } });
    const here = await session.listen(first);
    const other = await session.begin('fixed', {}, first);
    expect(await nextOf(here, RESULT)).toMatchObject({ params: { job_id: other } });
  });

  it('[JOB-28] gets the result from another server when the one it called has gone', async () => {
    const rig = await openHttp();
    const [first, second] = [await serveJobs(rig), await serveJobs(rig)];
    const session = await openJobSession(first);
    const jobId = await session.begin('fixed', {}, first);
    await untilStatus(rig.tasks, jobId, 'completed');
    await rig.stop(first);
    expect(await nextOf(await session.listen(second), RESULT)).toMatchObject({ params: { job_id: jobId } });
  });

  it('[JOB-29] that waits for a job by a tool is told its end on the stream as well', async () => {
    const rig = await openHttp();
    const session = await openJobSession(await serveJobs(rig));
    const frames = await session.listen();
    const jobId = await session.begin('wait');
    await untilStatus(rig.tasks, jobId, 'working');
    rig.open();
    const params = { name: 'task_wait', arguments: { task_id: jobId } };
    expect((await session.request('tools/call', params)).result).toMatchObject({ content: [{ text: 'waited' }] });
    expect(await nextOf(frames, RESULT)).toMatchObject({ params: { job_id: jobId } });
  });

  it('[JOB-30] is told that a job waits for an answer', async () => {
    const rig = await openHttp();
    const session = await openJobSession(await serveJobs(rig));
    const frames = await session.listen();
    const jobId = await session.begin('confirm');
    expect(await nextOf(frames, PROGRESS)).toMatchObject({
      params: { job_id: jobId, progress: 0, message: 'Waits for an answer: Sure?' },
    });
    const args = { task_id: jobId, content: { sure: true } };
    await session.request('tools/call', { name: 'task_answer', arguments: args });
    expect(await nextOf(frames, RESULT)).toMatchObject({ params: { job_id: jobId, result: { success: true } } });
  });

  it('[JOB-31] never hears of the jobs of another', async () => {
    const rig = await openHttp();
    const url = await serveJobs(rig);
    const [mine, other] = [await openJobSession(url), await openJobSession(url)];
    const frames = await mine.listen();
    await untilStatus(rig.tasks, await other.begin('fixed'), 'completed');
    const jobId = await mine.begin('fixed');
    expect(await nextOf(frames, RESULT)).toMatchObject({ params: { job_id: jobId } });
  });
});

describe('a job begun by a modern client over HTTP', () => {
  const begin = async (url: string, name: string) => {
    const params = { name, arguments: {}, _meta: { [JOB_META]: true } };
    return toReport((await askModern(url, { method: 'tools/call', params })).result).data.job_id;
  };

  it('[JOB-32] has its outcome read by tasks/get and is ended by tasks/cancel', async () => {
    const rig = await openHttp();
    const url = await serveJobs(rig);
    const [done, open] = [await begin(url, 'fixed'), await begin(url, 'wait')];
    await untilStatus(rig.tasks, done, 'completed');
    const get = async (taskId: string) =>
      (await askModern(url, { method: 'tasks/get', params: { taskId }, tasks: true })).result;
    expect(await get(done)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
    expect(await get(open)).toMatchObject({ status: 'working' });
    await askModern(url, { method: 'tasks/cancel', params: { taskId: open }, tasks: true });
    expect(await get(open)).toMatchObject({ status: 'cancelled' });
  });

  it('[JOB-33] tells its outcome to those who listen', async () => {
    const rig = await openHttp();
    const url = await serveJobs(rig);
    const jobId = await begin(url, 'wait');
    const params = { notifications: { taskIds: [jobId] } };
    const frames = readFrames(await postModern(url, { method: 'subscriptions/listen', params, tasks: true }));
    await frames.message();
    rig.open();
    let told = await frames.message();
    while (told.params?.status !== 'completed') told = await frames.message();
    expect(told.params).toMatchObject({ taskId: jobId, _meta: { [SUBSCRIPTION_ID]: expect.anything() } });
  });

  it('[JOB-34] is waited for by task_wait', async () => {
    const rig = await openHttp();
    const url = await serveJobs(rig);
    const jobId = await begin(url, 'wait');
    rig.open();
    const params = { name: 'task_wait', arguments: { task_id: jobId } };
    expect((await askModern(url, { method: 'tools/call', params })).result).toMatchObject({
      content: [{ text: 'waited' }],
    });
  });
});
