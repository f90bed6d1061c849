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

/** The app's name, used for its server, its store and its notifications. */
export const CODEX_NAME = 'codex_app';

export interface CodexServerOptions extends Omit<ServerOptions, 'name' | 'concurrency'> {
  /** How Codex is run. */
  readonly codex?: CodexOptions;
  /** The directory of the state file. @default what a call or the environment says, else the store's directory */
  readonly dataDir?: string;
  /**
   * Files and directories that no run may write to, in addition to the store, the state and Codex's own directory: for example
   * the config that was read, or a program that a host starts. A run can change anything missing here, and so influence the next
   * run.
   *
   * @default []
   */
  readonly guarded?: readonly string[];
}

/** Environment variables in which hosts of UI apps name the data directory. */
const DATA_VARIABLES = ['CHATOS_UI_APPS_DATA_DIR', 'CHATOS_UI_APP_DATA_DIR', 'CHATOS_DATA_DIR'];

/**
 * Opens Codex with its windows as an MCP server. Throws `STORE_NO_ACCESS` before serving any client when its data directory is
 * not writable.
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
  // A user who can write to the store can start runs by writing tasks.
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

// A relative command is resolved from where the server was started, not from where Codex works.
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
    // Over HTTP a client's home directory is not that of this machine's user.
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
    // Reported at startup: otherwise the first to notice is a client, who cannot change it.
    warn('Codex may not work anywhere yet: say where with --root DIR, or with roots in codex.json');
  }
  return work;
}

/** Wraps the server to record when it is served over HTTP, to clients other than the one that started it. */
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

/** Wraps the server so that `end` runs after it was closed. */
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
