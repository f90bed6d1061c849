import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openScene } from './open-scene.ts';
import { openWire, type Stage1, startMonitor } from './open-wire.ts';

describe('holdfast monitor', () => {
  it('[MON-30] answers a sync that asks for a job with stage 1, then sends progress and one result, in order', async () => {
    const scene = await openScene();
    const names = Array.from({ length: 500 }, (_, at) => `${at % 5}/${at}.txt`);
    await scene.write(Object.fromEntries(names.map((name) => [name, name])));
    const { startJob, frames } = await openWire(scene);
    const { result } = await startJob('wksm_monitor_sync', { path: scene.tree, recursive: true });
    const stage1 = result?.structuredContent as Stage1;
    expect(stage1).toMatchObject({
      success: true,
      data: { estimated_runtime_seconds: expect.any(Number), status: expect.stringMatching(/^(queued|running)$/) },
    });
    const jobId = stage1.data.job_id;
    const ended = await until(() => frames.find(({ method }) => method === 'notifications/tool_result'), {
      timeoutMs: 60_000,
    });
    expect(ended.params).toMatchObject({
      job_id: jobId,
      result: {
        success: true,
        data: { files_processed: 500, files_skipped: 0, files_updated: 500, duration_seconds: expect.any(Number) },
        messages: [{ type: 'success', text: 'Sync completed successfully' }],
      },
    });
    const told = frames.filter(({ params }) => params?.job_id === jobId);
    expect(told.at(-1)).toBe(ended);
    const progress = told.slice(0, -1).map(({ params }) => params);
    expect(progress).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^Processing \d+ of 500 files\.\.\.$/) }),
    );
    const shares = progress.map((one) => one?.progress as number);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });

  it('[MON-31] a sync that is refused ends with the error form', async () => {
    const scene = await openScene();
    await scene.configure({ allowed_roots: [scene.at('in')] });
    const { startJob, frames } = await openWire(scene);
    const results = () => frames.filter(({ method }) => method === 'notifications/tool_result');
    await startJob('wksm_monitor_sync', { path: scene.tree });
    await until(() => results().length === 1, { timeoutMs: 60_000 });
    await scene.configure({ max_documents: -1 });
    await startJob('wksm_monitor_sync', { path: scene.tree });
    await until(() => results().length === 2, { timeoutMs: 60_000 });
    const failure = (text: string) => ({
      success: false,
      data: {},
      messages: [{ type: 'error', text: expect.stringContaining(text) }],
    });
    expect(results().map(({ params }) => params?.result)).toMatchObject([
      failure('it lies outside the allowed roots'),
      failure('Failed to sync: config'),
    ]);
  });

  it('[FIRST-320] answers a plain sync with its result, and says nothing else of it', async () => {
    const scene = await openScene({ 'a.txt': 'a', 'b.txt': 'b' });
    const { call, frames } = await openWire(scene);
    const { result } = await call('wksm_monitor_sync', { path: scene.tree, recursive: true });
    expect(result?.structuredContent).toMatchObject({ success: true, data: { files_processed: 2 } });
    expect(frames.filter(({ params }) => params?.job_id !== undefined)).toEqual([]);
  });

  it('[MON-32] lists its tools, with sync as the one that takes its time', async () => {
    const { request } = await openWire(await openScene());
    const { result } = await request('tools/list', {});
    const tools = result?.tools as { name: string; async?: boolean; inputSchema: { required?: string[] } }[];
    const own = tools.filter(({ name }) => name.startsWith('wksm_'));
    expect(own.map(({ name }) => name)).toEqual([
      'wksm_monitor_sync',
      'wksm_monitor_status',
      'wksm_monitor_check',
      'wksm_monitor_filter_show',
      'wksm_monitor_filter_add',
      'wksm_monitor_filter_remove',
      'wksm_monitor_priority_show',
      'wksm_monitor_priority_add',
      'wksm_monitor_priority_remove',
    ]);
    expect(own.filter((tool) => tool.async).map(({ name }) => name)).toEqual(['wksm_monitor_sync']);
    expect(own[0]?.inputSchema.required).toEqual(['path']);
  });

  it('[MON-33] status, check, filter and priority tools answer at once, over HTTP too', async () => {
    const scene = await openScene({ 'a.txt': 'a' });
    await scene.sync();
    const child = startMonitor(scene, '--http', '0', '--no-auth', '--json');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(JSON.parse(line).url)));
    onTestFinished(() => client.close());
    const call = async (name: string, args = {}) =>
      (await client.callTool({ name: `wksm_monitor_${name}`, arguments: args })).structuredContent;
    expect(await call('status')).toMatchObject({ success: true, data: { tracked_files: 1, issues: [] } });
    expect(await call('filter_add', { list: 'exclude_globs', value: '*.txt' })).toMatchObject({
      success: true,
      data: { exclude_globs: ['*.txt'] },
    });
    expect(await call('check', { path: scene.at('a.txt') })).toMatchObject({
      data: { is_monitored: false, reason: 'matches exclude_globs' },
    });
    expect(await call('filter_remove', { list: 'exclude_globs', value: '*.txt' })).toMatchObject({ success: true });
    expect(await call('filter_show')).toMatchObject({ data: { exclude_globs: [] } });
    expect(await call('priority_add', { path: scene.tree, priority: 3 })).toMatchObject({ success: true });
    expect(await call('check', { path: scene.at('a.txt') })).toMatchObject({ data: { priority: 3 } });
    expect(await call('priority_remove', { path: scene.tree })).toMatchObject({ data: { dirs: {} } });
    expect(await call('priority_show')).toMatchObject({ data: { dirs: {} } });
    expect(await call('check', { path: 'relative' })).toMatchObject({
      success: false,
      messages: [{ type: 'error', text: expect.stringContaining('Failed to check: path is "relative"; expected') }],
    });
  });

  it('[MON-34] a sync outlives the server that took it', async () => {
    const scene = await openScene();
    const names = Array.from({ length: 3000 }, (_, at) => `${at % 30}/${at}.txt`);
    await scene.write(Object.fromEntries(names.map((name) => [name, name])));
    const { startJob, child, frames } = await openWire(scene);
    await startJob('wksm_monitor_sync', { path: scene.tree, recursive: true });
    // Its worker has begun; from here on nobody needs the server.
    await until(() => frames.some(({ method }) => method === 'notifications/progress'), { timeoutMs: 60_000 });
    child.kill('SIGKILL');
    await until(() => scene.monitor.status().last_sync?.outcome === 'done', { timeoutMs: 60_000 });
    expect(scene.monitor.status()).toMatchObject({ tracked_files: 3000, last_sync: { files_processed: 3000 } });
  });
});
