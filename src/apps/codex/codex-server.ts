import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createAccess, createServer, type HoldfastServer, openSqliteStore, type ServerOptions } from '../../index.ts';
import { checkDataDirectory } from './call-place.ts';
import { createCodexApp } from './codex-app.ts';
import { type CodexOptions, parseCodexOptions } from './codex-options.ts';
import { createRunEnd, createRunTool, RUN_END_TOPIC } from './run-tool.ts';
import { RUN_TOOL } from './stop-runs.ts';
import { addWindowTools } from './window-tools.ts';

/** The app's name: of its server, its store and its notifications. */
export const CODEX_NAME = 'codex_app';

export interface CodexServerOptions extends Omit<ServerOptions, 'name' | 'concurrency'> {
  /** How Codex is run. */
  readonly codex?: CodexOptions;
  /** Where the state file lies. @default what a call or the environment says, else the store's directory */
  readonly dataDir?: string;
}

/** Where hosts of UI apps say that data lies. */
const DATA_VARIABLES = ['CHATOS_UI_APPS_DATA_DIR', 'CHATOS_UI_APP_DATA_DIR', 'CHATOS_DATA_DIR'];

/**
 * Codex in windows, as an MCP server. Throws `STORE_NO_ACCESS` when its data directory cannot be written, before
 * anybody is served.
 */
export async function openCodexServer(options: CodexServerOptions): Promise<HoldfastServer> {
  const { codex = {}, dataDir, ...rest } = options;
  const settings = parseCodexOptions(codex);
  const store = options.store ?? (await openSqliteStore({ name: CODEX_NAME, ...pick(options) }));
  const close = async () => {
    if (options.store === undefined) await store.close();
  };
  try {
    const usual = DATA_VARIABLES.map((name) => process.env[name]).find(Boolean) ?? store.directory ?? process.cwd();
    const chosen = dataDir === undefined ? undefined : resolve(dataDir);
    const report = options.onError ?? toStderr;
    const places = { chosen, usual: resolve(usual), roots: options.promptRoots ?? [homedir()] };
    await checkDataDirectory(chosen ?? places.usual);
    const app = createCodexApp({ settings, access: createAccess(store), places, report });
    await app.openState(chosen ?? places.usual);
    const server = createServer({
      title: 'Codex in windows',
      instructions: 'Runs Codex in the directory of the project: one run at a time there, others wait in line.',
      ...rest,
      name: CODEX_NAME,
      store,
      concurrency: settings.concurrency,
      outbox: { ...rest.outbox, [RUN_END_TOPIC]: createRunEnd(app) },
    });
    server.tool(RUN_TOOL, createRunTool(app));
    addWindowTools(server, app);
    return withEnd(server, async () => {
      await app.flush().catch(report);
      await close();
    });
  } catch (error) {
    await close();
    throw error;
  }
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

function toStderr(error: unknown): void {
  process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
}
