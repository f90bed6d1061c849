// @ts-check
/**
 * A client that does as little as possible, so that the servers are measured and not the client.
 *
 * It starts a server program, writes JSON-RPC by hand and matches responses by id. All sides use the same client.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const META = 'io.modelcontextprotocol/';
const EXTENSIONS = { [`${META}tasks`]: {} };

/** The `_meta` of a request of 2026-07-28, with or without the tasks extension. */
const envelope = (/** @type {boolean} */ tasks, /** @type {string} */ name) => ({
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name, version: '1' },
  [`${META}clientCapabilities`]: { elicitation: { form: {} }, ...(tasks && { extensions: EXTENSIONS }) },
});

/**
 * @typedef {object} Client
 * @property {(method: string, params: object) => Promise<any>} request
 * @property {(params: object, onMessage: (message: any) => void) => Promise<() => void>} listen HTTP of 2026-07-28 only
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} program
 * @param {{ dir: string, transport: 'stdio' | 'http', era: 'legacy' | 'modern', workers?: string, tasks?: boolean, name?: string }} options
 * @returns {Promise<Client>}
 */
export async function openClient(program, { dir, transport, era, workers = 'inline', tasks = true, name = 'bench' }) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', path, dir, transport, workers], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const url = transport === 'http' ? (await once(createInterface(child.stdout), 'line'))[0] : undefined;
  return openProcess(child, { url, era, tasks, name });
}

/**
 * Like `openClient`, with a process that is already running; over HTTP if a URL is given.
 *
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, any, null>} child
 * @param {{ url?: string | undefined, era: 'legacy' | 'modern', tasks?: boolean, name?: string }} options
 * @returns {Promise<Client>}
 */
export async function openProcess(child, { url, era, tasks = true, name = 'bench' }) {
  const own = era === 'modern' ? envelope(tasks, name) : undefined;
  const withMeta = (/** @type {{ _meta?: object }} */ params) =>
    own ? { ...params, _meta: { ...params._meta, ...own } } : params;
  const send = url === undefined ? openStdio(child, createInterface(child.stdout)) : openHttp(url, era);
  let id = 0;
  /** @type {Client['request']} */
  const request = async (method, params) => {
    const answer = await send.request({ jsonrpc: '2.0', id: ++id, method, params: withMeta(params) });
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  };
  if (era === 'legacy') {
    const clientInfo = { name, version: '1' };
    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    await send.notify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  } else if (url === undefined) await request('server/discover', {});
  return {
    request,
    listen: (params, onMessage) =>
      send.listen({ jsonrpc: '2.0', id: ++id, method: 'subscriptions/listen', params: withMeta(params) }, onMessage),
    async close() {
      const exit = once(child, 'exit');
      if (url === undefined) child.stdin.end();
      else child.kill();
      await exit;
    },
  };
}

/**
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, any, null>} child
 * @param {import('node:readline').Interface} lines
 */
function openStdio(child, lines) {
  /** @type {Map<number, (answer: any) => void>} */
  const waiting = new Map();
  lines.on('line', (line) => {
    const message = JSON.parse(line);
    if (message.method !== undefined) return;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const notify = async (/** @type {object} */ message) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    notify,
    request: (/** @type {any} */ message) =>
      new Promise((resolve) => {
        waiting.set(message.id, resolve);
        void notify(message);
      }),
    listen: () => Promise.reject(new Error('listening is measured over HTTP')),
  };
}

/** @param {string} url @param {'legacy' | 'modern'} era */
function openHttp(url, era) {
  // Servers close a connection after 5 s of silence, so an idle connection is discarded well before that and not reused.
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64, timeout: 2000 });
  /** @type {Record<string, string>} */
  let session = {};
  const toHeaders = (/** @type {any} */ { method, params }) => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(era === 'legacy' ? session : { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }),
    ...(era === 'modern' && (params.name ?? params.taskId) && { 'mcp-name': params.name ?? params.taskId }),
  });
  const post = (/** @type {any} */ message, own = agent) =>
    new Promise((/** @type {(response: http.IncomingMessage) => void} */ resolve, reject) => {
      const request = http.request(url, { method: 'POST', headers: toHeaders(message), agent: own }, resolve);
      request.on('error', reject);
      request.end(JSON.stringify(message));
    });
  return {
    notify: async (/** @type {object} */ message) => void (await post(message)).resume(),
    async request(/** @type {any} */ message) {
      const response = await post(message);
      const text = await readText(response);
      const sessionId = response.headers['mcp-session-id'];
      if (message.method === 'initialize' && typeof sessionId === 'string') {
        session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
      }
      return readAnswer(text, message.id);
    },
    async listen(/** @type {any} */ message, /** @type {(message: any) => void} */ onMessage) {
      const response = await post(message, new http.Agent());
      if (response.statusCode !== 200) throw new Error(await readText(response));
      let rest = '';
      response.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) if (frame.includes('data: ')) onMessage(readAnswer(frame, undefined));
      });
      response.on('error', () => {});
      return () => response.destroy();
    },
  };
}

/** @param {http.IncomingMessage} response */
async function readText(response) {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

/** @param {string} text @param {number | undefined} id */
function readAnswer(text, id) {
  if (text.startsWith('{')) return JSON.parse(text);
  const messages = text.split('\n').filter((line) => line.startsWith('data: {'));
  const parsed = messages.map((line) => JSON.parse(line.slice('data: '.length)));
  return parsed.find((message) => id === undefined || message.id === id);
}
