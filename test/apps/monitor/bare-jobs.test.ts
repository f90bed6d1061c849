import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openScene, type Scene } from './open-scene.ts';
import { startMonitor, startMonitorWith } from './open-wire.ts';
import { SeedClient } from './seed-client.ts';

const FILES = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at % 3}/${at}.txt`, String(at)]));
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

const open = (scene: Scene, ...args: string[]) => new SeedClient(startMonitor(scene, ...args));

describe('a client that knows only the description of two-stage tools', () => {
  it('[SEC-387] finds job_id, progress and result where the description has them, with --bare-jobs', async () => {
    const scene = await openScene(FILES);
    const client = open(scene, '--bare-jobs');
    const stage1 = await client.call('wksm_monitor_sync', { path: scene.tree, recursive: true });
    expect(stage1).toEqual({
      success: true,
      data: { job_id: expect.any(String), estimated_runtime_seconds: 3.1, status: 'queued' },
      messages: [{ type: 'info', text: 'Operation queued. Estimated runtime: 3.1s' }],
    });
    const { progress, result } = await client.follow(stage1.data.job_id);
    expect(progress.at(-1)).toMatchObject({ progress: 1, message: 'Processing 300 of 300 files...', timestamp: TIME });
    expect(result).toMatchObject({
      success: true,
      data: { files_processed: 300, files_skipped: 0, files_updated: 300, duration_seconds: expect.any(Number) },
      messages: [{ type: 'success', text: 'Sync completed successfully' }],
    });
  });

  it('[SEC-387] gets the error form for what cannot be synced, and for arguments that are wrong', async () => {
    const scene = await openScene();
    const client = open(scene, '--bare-jobs');
    const missing = await client.call('wksm_monitor_sync', { path: scene.at('nowhere') });
    const { result } = await client.follow(missing.data.job_id);
    const error = { type: 'error', text: expect.stringContaining('does not exist'), details: scene.at('nowhere') };
    expect(result).toEqual({ success: false, data: {}, messages: [error] });
    expect(await client.call('wksm_monitor_sync', {})).toMatchObject({
      success: false,
      data: {},
      messages: [{ type: 'error', text: expect.stringContaining('Invalid arguments for tool wksm_monitor_sync') }],
    });
  });

  it('[SEC-387] gets the same object at once from tools that are fast', async () => {
    const scene = await openScene();
    const client = open(scene, '--bare-jobs');
    expect(await client.call('wksm_monitor_status')).toEqual({
      success: true,
      data: expect.objectContaining({ tracked_files: 0 }),
      messages: [],
    });
    expect(await client.call('wksm_monitor_check', { path: 'relative' })).toMatchObject({
      success: false,
      messages: [{ type: 'error', text: expect.stringContaining('Failed to check') }],
    });
  });

  it('[SEC-387] sees which tools take their time', async () => {
    const client = open(await openScene(), '--bare-jobs');
    const { tools } = (await client.request('tools/list', {})) as unknown as { tools: { name: string }[] };
    expect(tools.find(({ name }) => name === 'wksm_monitor_sync')).toMatchObject({
      async: true,
      inputSchema: { type: 'object', required: ['path'] },
    });
  });
});

describe('a client that says its name', () => {
  const greet = (client: SeedClient, name: string) =>
    client.request('initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name, version: '1' },
    });

  it.each(['wks', 'WKS desktop'])('[SEC-388] as %s gets the bare form without being asked for it', async (name) => {
    const scene = await openScene();
    const client = open(scene);
    await greet(client, name);
    const { data } = await client.call('wksm_monitor_sync', { path: scene.tree });
    expect((await client.follow(data.job_id)).result).toMatchObject({ success: true });
    expect(await client.call('wksm_monitor_status')).toMatchObject({ success: true, data: { tracked_files: 0 } });
  });

  it('[SEC-388] gets it when its profile says so, and others do not', async () => {
    const scene = await openScene();
    const file = join(scene.folder, 'config.json');
    await writeFile(file, JSON.stringify({ profiles: { 'our client': { giveUpMs: 60_000, bareJobs: true } } }));
    const ask = async (name: string) => {
      const client = new SeedClient(startMonitorWith(scene, { HOLDFAST_CONFIG: file }));
      await greet(client, name);
      return client.call('wksm_monitor_sync', { path: scene.tree });
    };
    expect(await ask('our-client')).toMatchObject({ success: true, data: { job_id: expect.any(String) } });
    const other = await ask('another');
    expect(other).toMatchObject({ structuredContent: { success: true, data: { files_processed: 0 } } });
    expect(other.data).toBeUndefined();
  });
});
