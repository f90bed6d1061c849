import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { reportToStderr, warn } from '../../app-kit/index.ts';
import {
  createServer,
  createTaskClient,
  type HoldfastServer,
  LOCAL,
  openSqliteStore,
  type ServerOptions,
  type Store,
} from '../../index.ts';
import { checkDataDirectory, type DataPlaces } from './call-place.ts';
import { createCodexApp } from './codex-app.ts';
import { type CodexOptions, type CodexSettings, parseCodexOptions } from './codex-options.ts';
import { createRunOutcomeHandler, createRunTool, RUN_OUTCOME_TOPIC } from './runs/run-tool.ts';
import { RUN_TOOL } from './runs/stop-runs.ts';
import { addWindowTools } from './window-tools.ts';
import { openWorkPlaces, type WorkPlaces } from './work-places.ts';

/** The app's name: of its server, its store and its notifications. */
export const CODEX_NAME = 'codex_app';

export interface CodexServerOptions extends Omit<ServerOptions, 'name' | 'concurrency'> {
  /** How Codex is run. */
  readonly codex?: CodexOptions;
  /** Where the state file lies. @default what a call or the environment says, else the store's directory */
  readonly dataDir?: string;
  /**
   * Files and directories that no run may write to, beside the store, the state and Codex's own directory: the config that
   * was read, a program that a host starts. What is left out a run can change, and so how the next one is run.
   *
   * @default []
   */
  readonly guarded?: readonly string[];
}

/** Where hosts of UI apps say that data lies. */
const DATA_VARIABLES = ['CHATOS_UI_APPS_DATA_DIR', 'CHATOS_UI_APP_DATA_DIR', 'CHATOS_DATA_DIR'];

/**
 * Codex in windows, as an MCP server. Throws `STORE_NO_ACCESS` when its data directory cannot be written, before
 * anybody is served.
 */
export async function openCodexServer(options: CodexServerOptions): Promise<HoldfastServer> {
  const settings = toSettings(options);
  const store = options.store ?? (await openSqliteStore({ name: CODEX_NAME, ...pick(options) }));
  const close = async () => {
    if (options.store === undefined) await store.close();
  };
  try {
    return await createCodexServer(options, { settings, store, close });
  } catch (error) {
    await close();
    throw error;
  }
}

interface CodexParts {
  readonly settings: CodexSettings;
  readonly store: Store;
  close(): Promise<void>;
}

async function createCodexServer(options: CodexServerOptions, parts: CodexParts): Promise<HoldfastServer> {
  const { codex: _codex, dataDir: _dataDir, guarded: _guarded, ...rest } = options;
  const { settings, store, close } = parts;
  const report = options.onError ?? reportToStderr;
  const remote = { isServed: false };
  const data = toDataPlaces(options, store, remote);
  const place = data.chosen ?? data.byDefault;
  const own = [place, ...(store.directory === undefined ? [] : [store.directory])];
  // Whoever can write the store makes runs of their own in it.
  for (const path of own) await checkDataDirectory(path);
  const work = await openWork(options, settings, own);
  const app = createCodexApp({ settings, access: createTaskClient(store), data, work, report });
  await app.openState(place, LOCAL);
  const server = createServer({
    title: 'Codex in windows',
    instructions: 'Runs Codex in the directory of the project: one run at a time there, others wait in line.',
    ...rest,
    name: CODEX_NAME,
    store,
    concurrency: settings.concurrency,
    outbox: { ...rest.outbox, [RUN_OUTCOME_TOPIC]: createRunOutcomeHandler(app) },
  });
  server.tool(RUN_TOOL, createRunTool(app));
  addWindowTools(server, app);
  return withEnd(closeOnHttp(server, remote), async () => {
    await app.flush().catch(report);
    await close();
  });
}

// A path is meant from where the server was started, not from where Codex works.
function toSettings({ codex = {} }: CodexServerOptions): CodexSettings {
  const settings = parseCodexOptions(codex);
  const { codexCommand } = settings;
  return codexCommand.includes('/') ? { ...settings, codexCommand: resolve(codexCommand) } : settings;
}

function toDataPlaces(
  { dataDir, promptRoots }: CodexServerOptions,
  store: Store,
  remote: { readonly isServed: boolean },
): DataPlaces {
  const byDefault = DATA_VARIABLES.map((name) => process.env[name]).find(Boolean) ?? store.directory ?? process.cwd();
  return {
    chosen: dataDir === undefined ? undefined : resolve(dataDir),
    byDefault: resolve(byDefault),
    // Those who come over HTTP are not at home here.
    roots: () => promptRoots ?? (remote.isServed ? [] : [homedir()]),
  };
}

async function openWork(
  { guarded = [] }: CodexServerOptions,
  { roots, additionalDirectories }: CodexSettings,
  own: readonly string[],
): Promise<WorkPlaces> {
  const codexHome = resolve(process.env.CODEX_HOME || join(homedir(), '.codex'));
  const kept = [...own, codexHome, ...guarded];
  const places = { roots, start: process.cwd(), guarded: kept, additional: additionalDirectories };
  const work = await openWorkPlaces(places);
  if (work.roots.length === 0) {
    // Told at once: else the first who learns of it is a client, who can do nothing about it.
    warn('Codex may not work anywhere yet: say where with --root DIR, or with roots in codex.json');
  }
  return work;
}

/** The same server; it notes when it is served to others than the one who started it. */
function closeOnHttp(server: HoldfastServer, remote: { isServed: boolean }): HoldfastServer {
  return {
    ...server,
    fetch(request) {
      remote.isServed = true;
      return server.fetch(request);
    },
    listen(options) {
      remote.isServed = true;
      return server.listen(options);
    },
  };
}

/** The same server, with something to be done after it was closed. */
function withEnd(server: HoldfastServer, end: () => Promise<void>): HoldfastServer {
  const close = async () => {
    await server.close();
    await end();
  };
  return { ...server, close, [Symbol.asyncDispose]: close };
}

function pick({ clock, onError }: CodexServerOptions) {
  return { ...(clock && { clock }), ...(onError && { onError }) };
}
