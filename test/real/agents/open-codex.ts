/** The real Codex behind `holdfast codex`, with a model that plays plans and nothing else of the network. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { createHost, type Host, type JsonObject } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { fetchCodex } from '../../../scripts/fetched/codex.mjs';
import { inRoot } from '../../../scripts/root.mjs';
import { programPath } from '../../programs/program-path.js';
import { toCodexConfig } from './codex-config.ts';
import { toProxies } from './loopback-api.ts';
import { type ModelStep, openResponsesApi, type ResponsesApi } from './responses-api.ts';

const MAIN = inRoot('dist', 'cli', 'main.js');

/** What one test needs of the app; `close` ends all of it. */
export interface CodexSite {
  readonly api: ResponsesApi;
  readonly stateDir: string;
  /** Opens a host to which the app is known as `codex`, over a server of its own. */
  host(options?: HostedBy): Promise<Host>;
  /** How a client starts the app. */
  command(...args: string[]): { command: string; args: string[]; env: Record<string, string>; cwd: string };
  /** A directory to work in. */
  folder(name: string): Promise<string>;
  /** Command lines of all that Codex has started, Codex included. */
  programs(): string[];
  /** Kills the servers of the app and its workers, and nothing else. */
  killApp(): void;
  /** What the app shows to other programs. */
  state(): Promise<AppState>;
  close(): Promise<void>;
}

/** How a host reaches the app. */
export interface HostedBy {
  /** The server does not know 2026-07-28. */
  readonly legacy?: boolean;
  readonly args?: readonly string[];
  readonly callMeta?: JsonObject;
}

export interface AppState {
  readonly windows: readonly { readonly id: string; readonly threadId: string; readonly status: string }[];
  readonly runs: readonly { readonly id: string; readonly status: string }[];
  readonly mcpTasks: readonly { readonly id: string; readonly runId: string; readonly status: string }[];
}

export async function openCodex(plans: Readonly<Record<string, readonly ModelStep[]>>): Promise<CodexSite> {
  const codex = await fetchCodex();
  const api = await openResponsesApi(plans);
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-real-codex-')));
  const [home, stateDir, dataDir, root] = ['codex', 'state', 'data', 'work'].map((name) => join(dir, name)) as Four;
  await Promise.all([home, stateDir, dataDir, root].map((path) => mkdir(path)));
  await writeFile(join(home, 'config.toml'), toCodexConfig(api.url));
  const env = toEnvironment({ dir, home, codex, api });
  const command = (...args: string[]) => ({
    command: process.execPath,
    args: [MAIN, 'codex', '--data-dir', dataDir, ...args],
    env,
    cwd: root,
  });
  const hosts: Host[] = [];
  return {
    api,
    stateDir,
    async host({ legacy = false, args = [], callMeta = {} } = {}) {
      const host = await createHost({ ledger: join(dir, `host-${hosts.length}.db`), stateDir });
      hosts.push(host);
      const spec = { ...command(...args), callMeta };
      await host.connect('codex', legacy ? { ...spec, args: [LEGACY_PIPE, ...spec.args] } : spec);
      return host;
    },
    command,
    folder: (name) => mkdir(join(root, name), { recursive: true }).then(() => join(root, name)),
    programs: () => listMarked(`CODEX_HOME=${home}`).flatMap(({ isApp, line }) => (isApp ? [] : [line])),
    killApp() {
      for (const { pid, isApp } of listMarked(`CODEX_HOME=${home}`)) if (isApp) process.kill(pid, 'SIGKILL');
    },
    state: async () => JSON.parse(await readFile(join(dataDir, 'codex_app_state.v1.json'), 'utf8')),
    async close() {
      await Promise.all(hosts.map((host) => host.close()));
      await untilNoWorker(join(env.HOLDFAST_DIR ?? '', 'holdfast', 'codex_app', 'tasks.db'));
      await api.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

type Four = [string, string, string, string];

const LEGACY_PIPE = programPath('host-legacy-pipe.js');

interface Places {
  readonly dir: string;
  readonly home: string;
  readonly codex: string;
  readonly api: ResponsesApi;
}

/** A home of its own, so that login shells read nobody's settings. */
function toEnvironment({ dir, home, codex, api }: Places): Record<string, string> {
  return {
    ...toProxies(api.url),
    HOME: dir,
    CODEX_HOME: home,
    HOLDFAST_DIR: join(dir, 'store'),
    HOLDFAST_CODEX: codex,
    // By this, what is left after the tests is found.
    HOLDFAST_TEST_FILE: process.env.HOLDFAST_TEST_FILE ?? '',
  };
}

interface Program {
  readonly pid: number;
  readonly line: string;
  /** Whether it is ours. */
  readonly isApp: boolean;
}

function listMarked(mark: string): Program[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      // A zombie has neither.
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      return environment.includes(mark) && line !== '' ? [{ pid: Number(pid), line, isApp: line.includes(MAIN) }] : [];
    } catch {
      return [];
    }
  });
}

/** Workers end by themselves when there is nothing to do. */
async function untilNoWorker(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  const isIdle = async () => (await store.workers.list()).length === 0;
  await until(isIdle, { what: 'the worker to end', timeoutMs: 60_000 });
  await store.close();
}
