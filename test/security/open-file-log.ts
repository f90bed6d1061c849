/** A server that others reach over HTTP, in a process and a home of its own, and what an attacker leaves in both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { type Heard, openPlain, type PlainClient } from '../server/plain-client.ts';

const PROGRAM = programPath('file-log-server.js');

/** One entry of a log, as far as these tests look at it. */
export interface Told {
  readonly requestId: string;
  readonly prompt: { readonly markdown: string };
}

export interface FileLogRig {
  readonly dir: string;
  /** The home of the server's owner. */
  readonly home: string;
  /** Calls a tool as this principal. */
  call(principal: string, tool: string, options: { readonly args?: object; readonly meta: object }): Promise<Heard>;
  open(gate: string): Promise<void>;
  /** Every file below the rig, by its path from there, except the database and what lies beside it for its workers and keys. */
  files(): Promise<string[]>;
  /** The logs below the store, once there are so many entries in all of them. */
  untilOwnLogs(entries: number): Promise<{ readonly path: string; readonly told: Told[] }[]>;
}

/** `roots` are named from the rig's directory. */
export async function openFileLog(...roots: string[]): Promise<FileLogRig> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-file-log-'));
  const home = join(dir, 'home');
  await mkdir(home);
  const args = [PROGRAM, dir, ...roots.map((root) => join(dir, root))];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(dir, { recursive: true });
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const clients = new Map<string, Promise<PlainClient>>();
  const connect = (principal: string) => {
    const known = clients.get(principal) ?? openPlain(url, { headers: { authorization: principal } });
    clients.set(principal, known);
    return known;
  };
  const files = async () => {
    const found = await readdir(dir, { recursive: true, withFileTypes: true });
    const names = found
      .filter((one) => !one.isDirectory())
      .map((one) => join(one.parentPath, one.name).slice(dir.length + 1));
    return names
      .filter((name) => !/^store\/(tasks\.db|server\.key|local\.key|identity\.key|pulse\/)/.test(name))
      .sort();
  };
  const readLog = async (path: string) => {
    const lines = (await readFile(join(dir, path), 'utf8')).split('\n').filter((line) => line !== '');
    return { path, told: lines.map((line) => JSON.parse(line) as Told) };
  };
  return {
    dir,
    home,
    call: async (principal, tool, { args: given = { text: 'mine' }, meta }) =>
      (await connect(principal)).call(tool, given, { meta: { ...meta } }),
    open: (gate) => writeFile(join(dir, `open-${gate}`), ''),
    files,
    untilOwnLogs: (entries) =>
      until(
        async () => {
          const paths = (await files()).filter((path) => path.startsWith('store/') && path.endsWith('.jsonl'));
          const logs = await Promise.all(paths.map(readLog));
          return logs.flatMap(({ told }) => told).length >= entries ? logs : undefined;
        },
        { what: `${entries} entries in the logs of the store`, timeoutMs: 60_000 },
      ),
  };
}
