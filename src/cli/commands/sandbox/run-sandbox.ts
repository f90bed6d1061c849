import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openTokenFile } from '../../../dashboard/http/token-file.ts';
import { TaskError } from '../../../errors.ts';
import { openSandbox, type SandboxOptions } from '../../../sandbox/sandbox.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import { readVersion } from '../../version.ts';
import { readGatewayConfig } from '../gateway/gateway-config.ts';
import { findOwnCommand } from '../install/own-command.ts';
import type { SandboxContext } from './sandbox-commands.ts';
import { servePage } from './serve-page.ts';

const DEMO = 'demo';

/** Serves the sandbox until a signal arrives. In a worker, which runs this same command, `openSandbox` never returns. */
export async function runSandbox({ values, terminal }: SandboxContext): Promise<number> {
  const directory = findDirectory(values);
  const token = await openTokenFile(directory);
  const pluginDir = findPlugin(values['plugin-dir']);
  const sandbox = await openSandbox({
    directory,
    token,
    version: readVersion(),
    ...findServers(values.config, directory),
    ...(pluginDir !== undefined && { pluginDir }),
  });
  try {
    const title = 'The sandbox is open; whoever has this address may use it:';
    await servePage({ values, terminal, token, title, fetch: sandbox.fetch });
  } finally {
    await sandbox.close();
  }
  return 0;
}

function findDirectory({ store, name }: SandboxContext['values']): string {
  if (store !== undefined && name !== undefined) throw new TaskError('USAGE', 'give --store or --name, not both');
  if (store === undefined) return resolveStoreDirectory(name ?? 'sandbox');
  const directory = resolve(store);
  if (existsSync(directory) && !statSync(directory).isDirectory())
    throw new TaskError('USAGE', `--store is ${JSON.stringify(store)}, a file; expected a directory for the sandbox`);
  return directory;
}

function findPlugin(dir: string | undefined): string | undefined {
  if (dir === undefined) return undefined;
  if (existsSync(join(dir, 'plugin.json'))) return resolve(dir);
  throw new TaskError('USAGE', `--plugin-dir is ${JSON.stringify(dir)}; expected a directory with a plugin.json`);
}

function findServers(
  config: string | undefined,
  directory: string,
): Pick<SandboxOptions, 'name' | 'upstreams' | 'isDemo' | 'reached'> {
  const own = findOwnCommand(undefined);
  const serve = (...words: readonly string[]) => ({ command: own.command, args: [...own.args, ...words] });
  if (config !== undefined) {
    const { upstreams = {}, name } = readGatewayConfig(config);
    const names = Object.keys(upstreams);
    const reached = { own, served: serve('gateway', '--config', resolve(config)), needsEnv: true };
    return { upstreams, name: names.length === 1 && names[0] ? names[0] : (name ?? 'gateway'), isDemo: false, reached };
  }
  // The demo's tasks are stored beside the sandbox's, apart from the tasks of the demo's other clients.
  const env = { HOLDFAST_DIR: join(directory, DEMO) };
  const main = realpathSync(process.argv[1] ?? '');
  const upstreams = { [DEMO]: { command: process.execPath, args: [main, DEMO], env } };
  return { upstreams, name: DEMO, isDemo: true, reached: { own, served: serve(DEMO), needsEnv: false } };
}
