/** A PostgreSQL of Debian, with a cluster of its own that is gone afterwards. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from 'holdfast/testing';
import { fetchDebianPackage } from '../../../scripts/fetched/debian-package.mjs';

const ROOM = '/usr/lib/postgresql';
const run = promisify(execFile);

/** The folder of its programs; nothing, told on stderr, where it cannot be had. */
export function fetchPostgres(): Promise<string | undefined> {
  return fetchDebianPackage('postgresql', () => {
    const [newest] = existsSync(ROOM) ? readdirSync(ROOM).sort((a, b) => Number(b) - Number(a)) : [];
    const bin = newest === undefined ? '' : join(ROOM, newest, 'bin');
    return existsSync(join(bin, 'initdb')) ? bin : undefined;
  });
}

export interface Postgres {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a cluster as a user without rights, which it insists on. */
export async function openPostgres(bin: string): Promise<Postgres> {
  const dir = mkdtempSync(join(tmpdir(), 'hf-pg-'));
  const user = await findUser();
  if (user) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const options = { cwd: dir, ...user, env: { ...process.env, HOME: dir } };
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'tester', '-A', 'trust', '--no-sync'], options);
  const port = await findPort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${dir}`, 'fsync=off'];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(bin, 'postgres'), args, { ...options, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const isReady = () =>
    run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    );
  await until(isReady, { what: 'PostgreSQL', timeoutMs: 120_000 });
  return {
    url: `postgres://tester@127.0.0.1:${port}/postgres`,
    async close() {
      // At once: nobody's query is waited for.
      server.kill('SIGQUIT');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Root must become somebody else; anybody else stays who he is. */
async function findUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => (await run('id', [flag, 'postgres'])).stdout));
  return { uid: Number(uid), gid: Number(gid) };
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
