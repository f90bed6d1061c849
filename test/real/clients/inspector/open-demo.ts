/** `holdfast demo` from the build, and the programs of MCP Inspector to try it with. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTaskClient, openSqliteStore, type TaskClient } from 'holdfast';
import { onTestFinished } from 'vitest';
import { endWorkers, startDemo } from '../../../../scripts/demo-server.mjs';
import { fetchInspector } from '../../../../scripts/inspector.mjs';
import { inRoot } from '../../../../scripts/root.mjs';

export type Era = 'modern' | 'legacy';
export type Medium = 'stdio' | 'http';

/** How a program ended and what it printed. */
export interface Ran {
  readonly code: number | null;
  /** What it printed, if that was JSON. */
  readonly output: unknown;
  readonly complaints: string;
}

export interface Demo {
  /** What the store says of tasks. */
  readonly tasks: TaskClient;
  /** Runs `inspector --cli` against the demo. */
  inspect(...args: readonly string[]): Promise<Ran>;
  /** Runs `mcpdo` on a connection that stays open. */
  mcpdo(...args: readonly string[]): Promise<Ran>;
  /** The same on a second connection: on one, its commands go one after another. */
  mcpdoAside(...args: readonly string[]): Promise<Ran>;
}

export interface DemoOptions {
  readonly era: Era;
  readonly medium: Medium;
}

export async function openDemo({ era, medium }: DemoOptions): Promise<Demo> {
  // Short, because it holds a socket, whose path may not be long.
  const home = await mkdtemp(join(tmpdir(), 'hf-'));
  const { node, inspector, mcpdo } = await fetchInspector();
  const env = toEnvironment(home);
  const run = (program: string, args: readonly string[]) => runProgram([node, program, ...args], env);
  const { target, store, stop } = medium === 'stdio' ? await openStdio(home) : await openHttp();
  const config = join(home, 'servers.json');
  await writeFile(config, JSON.stringify({ mcpServers: { demo: target, aside: target } }));
  const connected = new Set<string>();
  const runOn = async (server: string, args: readonly string[]) => {
    if (!connected.has(server)) {
      connected.add(server);
      const { code, complaints } = await run(mcpdo, ['--config', config, 'connect', server, '--era', era]);
      if (code !== 0) throw new Error(`mcpdo could not connect: ${complaints}`);
    }
    return run(mcpdo, ['--format', 'json', `@${server}`, ...args]);
  };
  onTestFinished(async () => {
    if (connected.size > 0) await run(mcpdo, ['daemon', 'stop']);
    await stop();
    await store.close();
    await rm(home, { recursive: true, force: true });
  });
  return {
    tasks: createTaskClient(store),
    inspect: (...args) =>
      run(inspector, ['--cli', '--config', config, '--server', 'demo', '--protocol-era', era, ...args]),
    mcpdo: (...args) => runOn('demo', args),
    mcpdoAside: (...args) => runOn('aside', args),
  };
}

/** The server is spawned by whoever connects. */
async function openStdio(home: string) {
  const env = { HOLDFAST_DIR: home, NODE_NO_WARNINGS: '1' };
  const target = { command: process.execPath, args: [inRoot('dist', 'cli', 'main.js'), 'demo', '--conformance'], env };
  const path = toStorePath(home);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  return { target, store: await openSqliteStore({ path }), stop: () => endWorkers(path) };
}

async function openHttp() {
  const { url, folder, stop } = await startDemo();
  const store = await openSqliteStore({ path: toStorePath(folder) });
  return { target: { type: 'streamable-http', url }, store, stop };
}

function toStorePath(folder: string): string {
  return join(folder, 'holdfast', 'holdfast-demo', 'tasks.db');
}

/** Nothing of the user's own settings, and no key ring. */
function toEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: home,
    MCP_INSPECTOR_DAEMON_DIR: join(home, 'd'),
    MCP_INSPECTOR_DAEMON_TOKEN: 'test',
    MCP_INSPECTOR_SECRET_STORE: 'memory',
  };
}

/** Into files: a daemon that the program leaves behind keeps pipes open. */
async function runProgram([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const base = join(env.HOME ?? '', randomUUID());
  const [out, err] = await Promise.all([open(`${base}.out`, 'w'), open(`${base}.err`, 'w')]);
  try {
    const child = spawn(command, args, { env, stdio: ['ignore', out.fd, err.fd] });
    const [code] = (await once(child, 'exit')) as [number | null];
    const [output, complaints] = await Promise.all([readFile(`${base}.out`, 'utf8'), readFile(`${base}.err`, 'utf8')]);
    return { code, output: parse(output), complaints };
  } finally {
    await Promise.all([out.close(), err.close()]);
  }
}

function parse(out: string): unknown {
  try {
    return JSON.parse(out);
  } catch {
    return out;
  }
}
