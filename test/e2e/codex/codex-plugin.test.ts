/** The plugin as it is handed over: its directory, in a place that has no packages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from 'holdfast';
import { createHost, type Host } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPlugin } from '../../../src/dialects/ui-prompts/plugin.ts';
import { textOf } from '../../host/open-host.ts';
import { runCommand } from '../../pins/run-command.ts';
import { programPath } from '../../programs/program-path.js';

const inRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const BUILT = inRoot('plugin/codex/codex_app/mcp-server.mjs');
const CODEX = programPath('fake-codex.js');
const LONG = { timeoutMs: 60_000 };

let home = '';
let host: Host;
const at = (...parts: string[]) => join(home, ...parts);
const toServer = () => at('plugin', 'codex_app', 'mcp-server.mjs');
const build = () => runCommand([process.execPath, inRoot('scripts/build-mcp.mjs')]);

beforeAll(async () => {
  expect(await build()).toMatchObject({ code: 0, output: expect.stringMatching(/mcp-server\.mjs: \d+\.\d MiB/) });
  home = await mkdtemp(join(tmpdir(), 'holdfast-plugin-'));
  await cp(inRoot('plugin/codex'), at('plugin'), { recursive: true });
  await mkdir(at('project'));
  // A plugin is started in its own directory, so its owner says where Codex may work.
  await mkdir(at('store', 'holdfast', 'codex_app'), { recursive: true, mode: 0o700 });
  await writeFile(at('store', 'holdfast', 'codex_app', 'codex.json'), JSON.stringify({ roots: [at('project')] }));
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CACHE_HOME', at('cache'));
  vi.stubEnv('HOLDFAST_DIR', at('store'));
  vi.stubEnv('HOLDFAST_CODEX', CODEX);
  vi.stubEnv('FAKE_CODEX_LOG', at('codex.log'));
  vi.stubEnv('PATH', `${dirname(process.execPath)}${delimiter}${process.env.PATH}`);
  host = await createHost({ ledger: at('ledger', 'host.db'), stateDir: at('state') });
  const passEnv = ['HOLDFAST_*', 'FAKE_CODEX_LOG', 'XDG_CACHE_HOME'];
  await host.connect('codex', { pluginDir: at('plugin'), projectRoot: at('project'), passEnv });
});

afterAll(async () => {
  await host.close();
  for (const { pid } of listProcesses()) process.kill(pid, 'SIGKILL');
  await until(() => listProcesses().length === 0, LONG);
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

describe('the Codex plugin', () => {
  it('[PLUGIN-01] says in its manifest which file serves it and how its calls are answered', async () => {
    const { name, endpoint, callMeta } = await readPlugin(at('plugin'), { stateDir: at('state') });
    expect(name).toBe('holdfast.codex_app');
    expect(endpoint).toMatchObject({ command: 'node', args: [toServer(), '--require-task-id'] });
    expect(callMeta.asyncTask).toEqual({
      tools: ['codex_app_window_run'],
      taskIdKey: 'taskId',
      resultSource: 'ui_prompts',
      uiPromptFile: 'ui-prompts.jsonl',
      stateFileName: 'codex_app_state.v1.json',
    });
    const { version, apps } = JSON.parse(await readFile(at('plugin', 'plugin.json'), 'utf8'));
    expect(version).toBe(JSON.parse(await readFile(inRoot('package.json'), 'utf8')).version);
    const page = { textContent: '' };
    const { mount } = await import(at('plugin', apps[0].entry.path));
    const unmount = mount({ container: page });
    expect(page.textContent).toContain('Codex');
    unmount();
    expect(page.textContent).toBe('');
  });

  it('[PLUGIN-02] is one file that imports nothing but Node, made of the same bytes every time', async () => {
    const { mtimeMs } = await stat(BUILT);
    const code = await readFile(BUILT, 'utf8');
    const imported = [...code.matchAll(/^import .*from "(.+)";$/gm)].map(([, name = '']) => name);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
    expect((await build()).code).toBe(0);
    expect((await stat(BUILT)).mtimeMs).toBe(mtimeMs);
  });

  it('[PLUGIN-02] carries the licences of all that is in it', async () => {
    const code = await readFile(BUILT, 'utf8');
    const notices = code.slice(code.lastIndexOf('/*!'));
    const names = [...notices.matchAll(/^(\S+) \([\w.-]+\)$/gm)].map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['holdfast', '@modelcontextprotocol/server', '@photostructure/sqlite', 'ajv', 'zod']),
    );
    expect(notices).toContain('Copyright (c) 2025 Colin McDonnell');
  });

  it('[PLUGIN-03] runs Codex where there are no packages, and answers through the log of prompts', async () => {
    expect(toParents(at('plugin')).filter((folder) => existsSync(join(folder, 'node_modules')))).toEqual([]);
    const call = await host.call('codex', 'codex_app_window_run', { prompt: 'say hello' });
    expect(textOf(await call.outcome())).toContain('did: say hello');
    expect(await readFile(at('project', 'edited.txt'), 'utf8')).toContain('say hello');
    const [prompt] = toEntries(await readFile(at('state', 'ui-prompts.jsonl'), 'utf8'));
    expect(prompt).toMatchObject({ requestId: call.callId, prompt: { kind: 'result' } });
    expect(existsSync(at('state', 'ui_apps', 'data', 'holdfast', 'codex_app_state.v1.json'))).toBe(true);
    const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined;
    expect(existsSync(at('cache')) ? await readdir(at('cache', 'holdfast')) : []).toHaveLength(hasSqlite ? 0 : 1);
  });

  it('[PLUGIN-04] ends a run whose server was killed: its worker is the same file, and so is the heart of that', async () => {
    const call = await host.call('codex', 'codex_app_window_run', { prompt: 'hangs! a while' });
    await until(() => readFileSync(at('codex.log'), 'utf8').includes('hangs!'), { ...LONG, what: 'Codex to begin' });
    const servers = listProcesses().filter(({ isWorker }) => !isWorker);
    for (const { pid } of servers) process.kill(pid, 'SIGKILL');
    expect(servers.length).toBeGreaterThan(0);
    await untilHeartbeat();
    await writeFile(at('project', 'go'), '');
    expect(textOf(await call.outcome())).toContain('did: hangs! a while');
    const entries = toEntries(await readFile(at('state', 'ui-prompts.jsonl'), 'utf8'));
    expect(entries.filter(({ requestId }) => requestId === call.callId)).toHaveLength(1);
    expect(readFileSync(at('codex.log'), 'utf8').match(/hangs!/g)).toHaveLength(1);
  });
});

/** Waits until the worker's thread has renewed its leases. */
async function untilHeartbeat(): Promise<void> {
  await using store = await openStore();
  const look = async () => (await store.workers.list()).find(({ kind }) => kind === 'detached')?.until;
  const before = await until(look, LONG);
  await until(async () => ((await look()) ?? 0) > before, { ...LONG, what: 'a heartbeat' });
}

async function openStore() {
  const store = await openSqliteStore({ path: at('store', 'holdfast', 'codex_app', 'tasks.db'), readOnly: true });
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

/** The processes that run the plugin's file. */
function listProcesses(): { readonly pid: number; readonly isWorker: boolean }[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const [, script] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (script !== toServer()) return [];
      const isWorker = readFileSync(`/proc/${pid}/environ`, 'utf8').includes('HOLDFAST_WORKER=');
      return [{ pid: Number(pid), isWorker }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

function toParents(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...toParents(above)];
}

function toEntries(text: string): { readonly requestId?: string }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { requestId?: string });
}
