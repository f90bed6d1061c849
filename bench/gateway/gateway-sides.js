// @ts-check
/** A fast server by itself, behind `holdfast gateway`, and behind the most used other gateways. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fetchTool } from '../../scripts/fetched/fetch-tool.mjs';
import { openProcess } from '../server/raw-client.js';

/** @typedef {import('../server/raw-client.js').Client} Client */
/** @typedef {'direct' | 'holdfast' | 'holdfast-http' | 'mcp-proxy' | 'supergateway'} SideName */

const SERVER = fileURLToPath(new URL('../server/server-sdk-plain.js', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const TOOLS = {
  'mcp-proxy': { name: 'mcp-proxy', version: '6.7.19', script: 'dist/bin/mcp-proxy.mjs' },
  supergateway: { name: 'supergateway', version: '4.0.0', script: 'dist/index.js' },
};

/** The command line of the smallest server that the SDK can make. */
const smallest = (/** @type {string} */ dir) => [process.execPath, SERVER, dir, 'stdio'];

const EVERYTHING = { name: '@modelcontextprotocol/server-everything', version: '2026.8.31', script: 'dist/index.js' };

/** The command line of a published server. */
export async function toPublished() {
  const folder = await fetchTool(EVERYTHING);
  return [process.execPath, join(folder, 'node_modules', EVERYTHING.name, EVERYTHING.script), 'stdio'];
}

/**
 * Opens one side: from the spawn to a client that has completed the handshake.
 *
 * @param {SideName} name
 * @param {string} dir
 * @param {{ upstreams?: number, server?: string[] }} [behind] how many upstream servers to name in a config file (0: one on
 *   the command line, as most users do), and the command line of the server
 * @returns {Promise<{ client: Client, startMs: number, mark: string }>}
 */
export async function openSide(name, dir, { upstreams = 0, server = smallest(dir) } = {}) {
  const { command, port } = await toCommand(name, { dir, upstreams, server });
  const mark = randomUUID();
  const [program = '', ...args] = command;
  const env = { ...process.env, HOLDFAST_DIR: dir, BENCH_MARK: mark };
  const begunAt = performance.now();
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env });
  const url = await toUrl(name, child, port);
  const client = await openProcess(child, { url, era: 'legacy' });
  return { client, startMs: performance.now() - begunAt, mark };
}

/** @param {SideName} name @param {{ dir: string, upstreams: number, server: string[] }} options */
async function toCommand(name, { dir, upstreams, server }) {
  if (name === 'direct') return { command: server, port: 0 };
  if (name === 'holdfast' || name === 'holdfast-http') {
    const http = name === 'holdfast' ? [] : ['--http', '0', '--no-auth'];
    return {
      command: [process.execPath, MAIN, 'gateway', ...http, ...toUpstreams(dir, { upstreams, server })],
      port: 0,
    };
  }
  const tool = TOOLS[name];
  const script = join(await fetchTool(tool), 'node_modules', tool.name, tool.script);
  const port = await findPort();
  const own =
    name === 'mcp-proxy'
      ? ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port), '--', ...server]
      : [
          ...['--stdio', server.join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
          ...['--logLevel', 'none', '--port', String(port)],
        ];
  return { command: [process.execPath, script, ...own], port };
}

/**
 * Policies and several servers need a config file.
 * @param {string} dir @param {{ upstreams: number, server: string[] }} options
 */
function toUpstreams(dir, { upstreams: count, server }) {
  if (count === 0) return ['--', ...server];
  const [command, ...args] = server;
  const tools = { plain: { task: 'never' } };
  const names = Array.from({ length: count }, (_, at) => `server-${at}`);
  const mcpServers = Object.fromEntries(names.map((name) => [name, { command, args, passEnv: ['*'], tools }]));
  const config = join(dir, `holdfast-${count}.json`);
  writeFileSync(config, JSON.stringify({ name: `bench-${count}`, mcpServers }), { mode: 0o600 });
  return ['--config', config];
}

/**
 * @param {SideName} name
 * @param {import('node:child_process').ChildProcessByStdio<any, import('node:stream').Readable, null>} child
 * @param {number} port
 */
async function toUrl(name, child, port) {
  if (name === 'direct' || name === 'holdfast') return undefined;
  if (name === 'holdfast-http') return String((await once(createInterface(child.stdout), 'line'))[0]);
  child.stdout.resume();
  while (!(await isOpen(port))) await pause(5);
  return `http://127.0.0.1:${port}/mcp`;
}

/** @param {number} port @returns {Promise<boolean>} */
function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function findPort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (listener.address());
  listener.close();
  return port;
}

/** Resident bytes of all processes of a side except the server itself, whichever process started them. @param {string} mark */
export function readOwnMemory(mark) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isMarked = (/** @type {string} */ pid) => read(pid, 'environ').includes(mark);
  const own = pids.filter((pid) => {
    const line = read(pid, 'cmdline').split('\0');
    // A keeper does not inherit the marked environment; its arguments describe the server that it keeps.
    return line[1]?.endsWith('keeper-process.js') ? isMarked(line[3] ?? '') : isMarked(pid) && line[1] !== SERVER;
  });
  const sizes = own.map((pid) => Number(/^VmRSS:\s*(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024);
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** @param {string} pid @param {string} file */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
