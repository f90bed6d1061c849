import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAsyncTask, parseAsyncTask } from '../../../src/dialects/shared/async-task.ts';
import { resolveInside } from '../../../src/dialects/ui-prompts/confine.ts';
import { readPlugin } from '../../../src/dialects/ui-prompts/plugin.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-plugin-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('asyncTask', () => {
  it('[UIP-18] has a default for every field', () => {
    expect(parseAsyncTask({})).toEqual({
      tools: [],
      taskIdKey: 'taskId',
      uiPromptFile: 'ui-prompts.jsonl',
      pollIntervalMs: 1000,
      requestIdPrefix: 'mcp-task:',
    });
  });

  it('[UIP-18] matches tools in lower case, and an empty list matches all', () => {
    const meta = { asyncTask: { tools: [' Codex_App_Window_Run ', ''] } };
    expect(findAsyncTask(meta, 'codex_app_window_RUN')?.tools).toEqual(['codex_app_window_run']);
    expect(findAsyncTask(meta, 'other')).toBeUndefined();
    expect(findAsyncTask({ asyncTask: { tools: [''] } }, 'other')).toBeDefined();
    expect(findAsyncTask({}, 'other')).toBeUndefined();
    expect(findAsyncTask(undefined, 'other')).toBeUndefined();
  });

  it.each([
    [0, 200],
    [-5, 200],
    [199.5, 200],
    [300.5, 300.5],
    [5001, 5000],
    [Infinity, 5000],
  ])('[UIP-18] brings an interval of %d into its range', (pollIntervalMs, expected) => {
    expect(parseAsyncTask({ pollIntervalMs }).pollIntervalMs).toBe(expected);
  });

  it.each<[unknown, string]>([
    [null, 'asyncTask is null; expected an object'],
    [[], 'asyncTask is []'],
    [{ tools: 'run' }, 'asyncTask.tools is "run"; expected a list'],
    [{ tools: [1] }, 'asyncTask.tools[0] is 1; expected a text'],
    [{ taskIdKey: '  ' }, 'asyncTask.taskIdKey is "  "; expected a text that is not blank'],
    [{ taskIdKey: 7 }, 'asyncTask.taskIdKey is 7'],
    [{ resultSource: 'queue' }, 'asyncTask.resultSource is "queue"; expected "ui_prompts"'],
    [{ resultSource: null }, 'asyncTask.resultSource is null'],
    [{ uiPromptFile: {} }, 'asyncTask.uiPromptFile is {}'],
    [{ pollIntervalMs: '300' }, 'asyncTask.pollIntervalMs is "300"; expected a number of ms from 200 to 5000'],
    [{ pollIntervalMs: Number.NaN }, 'asyncTask.pollIntervalMs is NaN'],
    [{ requestIdPrefix: 1 }, 'asyncTask.requestIdPrefix is 1'],
    [{ stateFileName: [] }, 'asyncTask.stateFileName is []'],
  ])('[UIP-19] %j is an error that names the field, the value and what is expected', (value, message) => {
    expect(() => parseAsyncTask(value)).toThrow(message);
  });
});

describe('a path that a peer named', () => {
  it('[UIP-20] stays inside, whatever links there are', async () => {
    const folder = await makeFolder();
    const root = join(folder, 'state');
    await mkdir(join(root, 'deep'), { recursive: true });
    await writeFile(join(folder, 'secret'), '');
    await symlink(join(folder, 'secret'), join(root, 'out'));
    await symlink(join(folder, 'not-there-yet'), join(root, 'dangling'));
    await symlink('..', join(root, 'deep', 'up'));
    await symlink('../..', join(root, 'deep', 'up-and-out'));
    const resolve = (path: string) => resolveInside(root, path, { field: 'uiPromptFile' });
    expect(await resolve('ui-prompts.jsonl')).toBe(join(root, 'ui-prompts.jsonl'));
    expect(await resolve('not/there/yet.jsonl')).toBe(join(root, 'not', 'there', 'yet.jsonl'));
    expect(await resolve('deep/up/log')).toBe(join(root, 'deep', 'up', 'log'));
    const bad = ['../secret', '/etc/passwd', join(root, 'log'), 'deep/../../x', 'out', 'dangling', 'deep/up-and-out/x'];
    for (const path of [...bad, 'a\0b']) {
      await expect(resolve(path), path).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });

  it('[UIP-20] may lie outside when the owner allows it', async () => {
    const root = await makeFolder();
    const path = await resolveInside(root, '../elsewhere', { field: 'uiPromptFile', allowOutside: true });
    expect(path).toBe(join(root, '..', 'elsewhere'));
  });
});

describe('a plugin', () => {
  const mcp = { entry: 'app/server.mjs', args: ['--fast'], callMeta: {} as object };

  async function makePlugin(manifest: unknown): Promise<string> {
    const folder = await makeFolder();
    await writeFile(join(folder, 'plugin.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
    return folder;
  }
  const toManifest = (one: object, more: object[] = []) => ({
    id: 'com.x.app',
    apps: [{ id: 'main', ai: { mcp: one } }, { id: 'silent' }, ...more],
  });

  it('[UIP-21] says how its server is started and what its calls carry', async () => {
    const callMeta = { workdir: '$dataDir/$appId', chatos: { uiApp: { extra: '$pluginId', appId: 'over' } }, n: [1] };
    const folder = await makePlugin(toManifest({ ...mcp, callMeta }));
    const server = await readPlugin(folder, { stateDir: folder });
    const dataDir = join(folder, 'ui_apps', 'data', 'com.x.app');
    expect(server.name).toBe('com.x.app.main');
    expect(server.endpoint).toEqual({
      kind: 'command',
      command: 'node',
      args: [join(folder, 'app', 'server.mjs'), '--fast'],
      cwd: folder,
    });
    const places = { pluginId: 'com.x.app', appId: 'over', pluginDir: folder, dataDir, stateDir: folder };
    expect(server.callMeta).toEqual({
      chatos: { uiApp: { ...places, extra: 'com.x.app' } },
      workdir: `${dataDir}/main`,
      n: [1],
    });
  });

  it('[SEC-124] carries the directories that the user works in, whatever the plugin says of them', async () => {
    const callMeta = { chatos: { uiApp: { projectRoot: '/', extra: '$projectRoot' } } };
    const folder = await makePlugin(toManifest({ ...mcp, callMeta }));
    const roots = { projectRoot: '/srv/project', sessionRoot: '/srv' };
    const { callMeta: sent } = await readPlugin(folder, { stateDir: folder, ...roots });
    expect(sent).toMatchObject({ chatos: { uiApp: { ...roots, extra: '/srv/project', stateDir: folder } } });
  });

  it('[UIP-21] may have a server at an address, with what it needs to get in', async () => {
    const auth = { basic: { username: 'ann', password: 'pw' }, headers: { 'X-One': '1' } };
    const folder = await makePlugin(toManifest({ url: 'https://x.example/mcp', auth }));
    const { endpoint } = await readPlugin(folder, { stateDir: folder });
    const headers = { 'X-One': '1', Authorization: `Basic ${Buffer.from('ann:pw').toString('base64')}` };
    expect(endpoint).toEqual({ kind: 'url', url: 'https://x.example/mcp', headers });
  });

  it('[UIP-21] with several servers asks which', async () => {
    const folder = await makePlugin(toManifest(mcp, [{ id: 'second', ai: { mcp } }]));
    await expect(readPlugin(folder, { stateDir: folder })).rejects.toThrow('the plugin has "main", "second"');
    expect((await readPlugin(folder, { stateDir: folder, appId: 'second' })).name).toBe('com.x.app.second');
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'is no JSON'],
    ['a manifest of 300 KiB', ' '.repeat(300 * 1024), 'is too long'],
    ['no id', { apps: [] }, 'id is undefined'],
    ['an id that leaves the directory', { ...toManifest(mcp), id: '../../../x' }, 'id is'],
    ['no apps', { id: 'x' }, 'apps is undefined'],
    ['no server', { id: 'x', apps: [{ id: 'a' }] }, 'the plugin has none'],
    ['a server that is off', toManifest({ ...mcp, enabled: false }), 'the plugin has none'],
    ['neither entry nor url', toManifest({}), 'apps[0].ai.mcp.entry is undefined'],
    ['an entry outside', toManifest({ ...mcp, entry: '../server.mjs' }), 'apps[0].ai.mcp.entry is "../server.mjs"'],
    ['args that are no texts', toManifest({ ...mcp, args: [1] }), 'apps[0].ai.mcp.args[0] is 1'],
    ['a strange address', toManifest({ url: 'file:///x' }), 'apps[0].ai.mcp.url is "file:///x"'],
    ['a callMeta that is no object', toManifest({ ...mcp, callMeta: 'x' }), 'apps[0].ai.mcp.callMeta is "x"'],
  ])('[UIP-22] with %s is refused by name', async (_what, manifest, message) => {
    const folder = await makePlugin(manifest);
    await expect(readPlugin(folder, { stateDir: folder })).rejects.toThrow(message);
  });
});
