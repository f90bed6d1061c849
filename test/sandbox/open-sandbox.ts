/** `holdfast sandbox` as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { builtPath } from '../programs/program-path.js';

const main = builtPath('cli/main.js');
const LONG_MS = 60_000;

export interface RunningSandbox {
  readonly directory: string;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** What it said on stderr. */
  readonly said: () => string;
  get<T = Record<string, unknown>>(path: string): Promise<T>;
  post<T = Record<string, unknown>>(path: string, body?: object): Promise<T>;
  /** Ends the process, as Ctrl-C does; what it keeps stays. */
  stop(): Promise<number | null>;
}

/** Starts a sandbox, in a directory of before where one is given; resolves when its servers have been tried. */
export async function startSandbox(args: readonly string[] = [], place: { directory?: string; port?: number } = {}) {
  const directory = place.directory ?? (await mkdtemp(join(tmpdir(), 'holdfast-sandbox-')));
  const words = ['sandbox', '--json', '--port', String(place.port ?? 0), '--store', directory, ...args];
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const line = await until(() => out().includes('\n') && out(), { what: 'the address', timeoutMs: LONG_MS });
  const { url, port, token } = JSON.parse(String(line)) as { url: string; port: number; token: string };
  const ask = async <T>(path: string, init: RequestInit): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, { ...init, headers });
    return (await answer.json()) as T;
  };
  const sandbox: RunningSandbox = {
    ...{ directory, url, port, token, said: err },
    get: (path) => ask(path, {}),
    post: (path, body = {}) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    async stop() {
      child.kill('SIGTERM');
      return closed;
    },
  };
  const isTried = async () => {
    const { servers } = await sandbox.get<{ servers: readonly { state: string }[] }>('servers');
    return servers.length > 0 && servers.every(({ state }) => state !== 'starting');
  };
  await until(isTried, { what: 'the servers', timeoutMs: LONG_MS });
  return sandbox;
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[name]?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}

/** Ends everything that lives from a sandbox's directory, and removes it. Workers would end by themselves, but later. */
export async function clearSandbox({ directory, stop }: Pick<RunningSandbox, 'directory' | 'stop'>): Promise<void> {
  await stop();
  await until(async () => (await endAll(directory)) === 0, { what: 'its processes to end', timeoutMs: LONG_MS });
  await rm(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
}

async function endAll(directory: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(pids.map(async (pid) => ((await mentions(pid, directory)) ? Number(pid) : 0)));
  const own = found.filter((pid) => pid > 0);
  for (const pid of own) kill(pid);
  return own.length;
}

async function mentions(pid: string, directory: string): Promise<boolean> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  return `${await read('cmdline')}\0${await read('environ')}`.includes(directory);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
