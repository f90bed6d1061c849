import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { type Heard, openJobs, toJobId } from '../../e2e/open-jobs.ts';
import { openSite } from '../../e2e/site.ts';

const JOBS = { jobs: 'always', bareJobs: true };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

const call = (id: number, path: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'wksm_monitor_sync', arguments: { path, recursive: true } },
});

/** The messages of the published example; ids and times differ, and so does what later revisions added. */
const stage1 = (id: number) => ({
  jsonrpc: '2.0',
  id,
  result: {
    success: true,
    data: { job_id: expect.any(String), estimated_runtime_seconds: 45.0, status: 'queued' },
    messages: [{ type: 'info', text: 'Operation queued. Estimated runtime: 45s' }],
  },
});

const progress = (job_id: string, share: number, message: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { job_id, progress: share, message, timestamp: TIME, estimated_remaining_seconds: expect.any(Number) },
});

const toolResult = (job_id: string, result: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/tool_result',
  params: { job_id, result, timestamp: TIME },
});

const jobIdOf = ({ result }: Heard) => toJobId(result);

describe.each([{}, { workers: 'inline' }])('the example of the protocol over stdio, workers %o', (workers) => {
  it('[JOB-01] is replayed message by message', async () => {
    const client = await openJobs(await openSite(), { ...JOBS, ...workers });
    const before = client.heard.length;
    client.send(call(101, '/path/to/dir'));
    const answer = await until(() => client.heard.find(({ id }) => id === 101));
    const jobId = jobIdOf(answer);
    await client.untilEnd(jobId);
    expect(client.heard.slice(before)).toEqual([
      stage1(101),
      progress(jobId, 0.3, 'Processing 150 of 500 files...'),
      progress(jobId, 0.6, 'Processing 300 of 500 files...'),
      toolResult(jobId, {
        success: true,
        data: { files_processed: 500, files_skipped: 10, files_updated: 490, duration_seconds: 42.3 },
        messages: [{ type: 'success', text: 'Sync completed successfully' }],
      }),
    ]);
  });

  it('[JOB-02] is replayed with its error form', async () => {
    const client = await openJobs(await openSite(), { ...JOBS, ...workers });
    const before = client.heard.length;
    client.send(call(102, '/forbidden'));
    const jobId = jobIdOf(await until(() => client.heard.find(({ id }) => id === 102)));
    await client.untilEnd(jobId);
    expect(client.heard.slice(before)).toEqual([
      stage1(102),
      toolResult(jobId, {
        success: false,
        data: {},
        messages: [{ type: 'error', text: 'Failed to sync: Permission denied', details: 'Full error traceback...' }],
      }),
    ]);
  });
});

describe('a job over stdio', () => {
  it('[JOB-20] is what a tool can be that the list shows as async, as in the example', async () => {
    const client = await openJobs(await openSite());
    const { result } = await client.request('tools/list');
    const tools = result?.tools as { name: string; async?: boolean }[];
    expect(tools.find(({ name }) => name === 'wksm_monitor_sync')).toMatchObject({
      name: 'wksm_monitor_sync',
      description: 'Sync files to monitor database',
      async: true,
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path to sync' },
          recursive: { type: 'boolean', description: 'Recurse into subdirectories' },
        },
        required: ['path'],
      },
    });
    expect(tools.find(({ name }) => name === 'now')).not.toHaveProperty('async');
  });

  it('[JOB-03] that threw tells its text, and where in the code it failed', async () => {
    const client = await openJobs(await openSite());
    const { messages, ...rest } = await client.end(await client.begin('wksm_monitor_sync', { path: '/broken' }));
    expect(rest).toEqual({ success: false, data: {} });
    expect(messages).toEqual([
      {
        type: 'error',
        text: 'Failed to sync: Permission denied',
        details: expect.stringMatching(/Failed to sync: Permission denied\n\s+at .*jobs-server\.js/),
      },
    ]);
  });

  it('[JOB-04] that threw tells its text only when the owner says so', async () => {
    const client = await openJobs(await openSite(), { errorDetails: false });
    const { messages } = await client.end(await client.begin('wksm_monitor_sync', { path: '/broken' }));
    expect(messages[0]?.details).toBe('Failed to sync: Permission denied');
  });

  it.each([
    ['refuse', { text: 'no paper', details: 'no paper\nin tray 2' }],
    ['break_off', { text: 'paper jam', details: expect.stringContaining('paper jam') }],
    ['linger', { text: expect.stringMatching(/100 ms/), details: expect.stringMatching(/100 ms/) }],
    ['die', { text: expect.stringMatching(/^Interrupted: /), details: expect.stringMatching(/^Interrupted: /) }],
  ])('[JOB-05] that fails by %s tells so in one result', async (tool, message) => {
    const client = await openJobs(await openSite());
    const jobId = await client.begin(tool);
    const told = await client.untilEnd(jobId);
    // A second job shows that nothing more is said of the first.
    await client.end(await client.begin('steps', { count: 1 }));
    expect(client.heard.filter(({ params }) => params?.job_id === jobId)).toEqual(told);
    expect(told.map(({ method }) => method)).toEqual(['notifications/tool_result']);
    const failed = { success: false, data: {}, messages: [{ type: 'error', ...message }] };
    expect(told[0]?.params?.result).toEqual(failed);
  });

  it('[JOB-06] is a task: its id works with tasks/get, tasks/list, tasks/cancel and the command line', async () => {
    const site = await openSite();
    const client = await openJobs(site);
    const jobId = await client.begin('wait', { gate: 'never' });
    await untilStatus(site.tasks, jobId, 'working');
    expect((await client.request('tasks/get', { taskId: jobId })).result).toMatchObject({ status: 'working' });
    expect((await client.request('tasks/list')).result).toMatchObject({ tasks: [{ taskId: jobId }] });
    const shown = await runCli(['tasks', 'show', '--store', join(site.dir, 'tasks.db'), jobId, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ taskId: jobId, tool: 'wait', status: 'working' });
    expect((await client.request('tasks/cancel', { taskId: jobId })).result).toMatchObject({ status: 'cancelled' });
    expect(await client.end(jobId)).toEqual({
      success: false,
      data: {},
      messages: [{ type: 'error', text: expect.stringMatching(/^Cancelled: /) }],
    });
  });

  it('[JOB-07] that the operator cancels from a terminal tells so', async () => {
    const site = await openSite();
    const client = await openJobs(site);
    const jobId = await client.begin('wait', { gate: 'never' });
    const reason = ['--reason', 'no longer needed'];
    await runCli(['tasks', 'cancel', '--store', join(site.dir, 'tasks.db'), jobId, ...reason]);
    expect((await client.end(jobId)).messages).toEqual([{ type: 'error', text: 'Cancelled: no longer needed' }]);
  });

  it('[JOB-08] goes on when its client leaves, and the next connection asks for its outcome', async () => {
    const site = await openSite();
    const client = await openJobs(site);
    const jobId = await client.begin('wait', { gate: 'open' });
    await untilStatus(site.tasks, jobId, 'working');
    await client.close();
    const next = await openJobs(site);
    writeFileSync(join(site.dir, 'open'), '');
    const params = { name: 'task_wait', arguments: { task_id: jobId } };
    const { result } = await next.request('tools/call', params);
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'open is open' }] });
  });

  it('[JOB-09] is told of again, after its answer, when a call joins it by its key', async () => {
    const client = await openJobs(await openSite());
    const _meta = { 'holdfast/job': 'bare', 'holdfast/idempotencyKey': 'once' };
    const params = { name: 'steps', arguments: { count: 1 }, _meta };
    const first = jobIdOf(await client.request('tools/call', params));
    await client.untilEnd(first);
    const answer = await client.request('tools/call', params);
    expect(jobIdOf(answer)).toBe(first);
    const since = () => client.heard.slice(client.heard.indexOf(answer) + 1).map(({ method }) => method);
    await until(() => since().length >= 2);
    expect(since()).toEqual(['notifications/progress', 'notifications/tool_result']);
  });
});

describe('two hundred jobs at once on one connection', () => {
  it.each([{}, { workers: 'inline' }])(
    '[JOB-10] each tell their steps in order, then one result, workers %o',
    async (workers) => {
      const client = await openJobs(await openSite(), { concurrency: 50, ...workers });
      const jobs = await Promise.all(Array.from({ length: 200 }, () => client.begin('steps', { count: 5 })));
      expect(new Set(jobs).size).toBe(200);
      await Promise.all(jobs.map((jobId) => client.untilEnd(jobId)));
      await client.request('ping');
      const methods = [...Array<string>(5).fill('notifications/progress'), 'notifications/tool_result'];
      for (const jobId of jobs) {
        const answerAt = client.heard.findIndex((one) => one.result?.data !== undefined && jobIdOf(one) === jobId);
        const told = client.heard.filter(({ params }) => params?.job_id === jobId);
        expect(told.map(({ method }) => method)).toEqual(methods);
        expect(told.slice(0, -1).map(({ params }) => params?.progress)).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
        expect(client.heard.indexOf(told[0] as Heard)).toBeGreaterThan(answerAt);
      }
      expect(client.stderr()).toBe('');
    },
  );
});
