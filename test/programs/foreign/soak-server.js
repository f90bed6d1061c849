// @ts-check
/**
 * A small MCP server of its own, without any SDK, with one tool that echoes its text.
 *
 * node soak-server.js MODE [FILE]; what MODE does wrong begins with the fifth call:
 * good, loses, twice, slower, leaks, dies, wrong, fails, mixed, once (starts only while FILE is not there), deaf (ends at
 * what is no message), framed, http, http-twice.
 */
import { existsSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { argv, exit, stdin, stdout } from 'node:process';

const [mode = 'good', file = ''] = argv.slice(2);
const FROM_CALL = 5;
const SLOW_FROM_CALL = 400;
/** @type {Buffer[]} */
const kept = [];
let calls = 0;
let tasks = 0;

if (mode === 'never') {
  console.error('no licence found');
  exit(3);
}
if (mode === 'once') {
  if (existsSync(file)) exit(4);
  writeFileSync(file, '');
}

/**
 * @param {{ id?: unknown, method?: string, params?: any }} request
 * @param {(message: object) => void} send
 */
function answer({ id, method, params }, send) {
  if (id === undefined) return;
  const reply = (/** @type {object} */ result) => send({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    const serverInfo = { name: 'soak-server', version: '1' };
    reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') {
    reply({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  } else if (method === 'tools/call' && params.task) {
    reply({ task: { taskId: `task-${++tasks}`, status: 'working' } });
  } else if (method === 'tasks/result') {
    send({ jsonrpc: '2.0', id, error: { code: -32002, message: 'not ready' } });
  } else if (method === 'tools/call') {
    call(id, params, send);
  } else if (method === 'ping') {
    reply({});
  } else {
    send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
}

/**
 * @param {unknown} id
 * @param {any} params
 * @param {(message: object) => void} send
 */
function call(id, params, send) {
  calls += 1;
  const isDue = calls >= FROM_CALL;
  const text = mode === 'wrong' && isDue ? 'something else' : params.arguments.text;
  const result = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } };
  const code = mode === 'mixed' && isDue ? -32000 : -32603;
  if (mode === 'dies' && isDue) exit(7);
  if (mode === 'loses' && calls === FROM_CALL) return;
  if (mode === 'leaks') leak();
  if (mode === 'fails' || mode === 'mixed') send({ jsonrpc: '2.0', id, error: { code, message: 'out of reach' } });
  else reply(() => send(result));
  if (mode.endsWith('twice') && calls === FROM_CALL) send(result);
}

/** @param {() => void} send */
function reply(send) {
  if (mode === 'slower') setTimeout(send, calls < SLOW_FROM_CALL ? 10 : 300);
  else if (mode === 'leaks') setTimeout(send, 5);
  else send();
}

function leak() {
  kept.push(Buffer.alloc(1024 * 1024, 1));
  openSync('/dev/null', 'r');
}

if (mode.startsWith('http')) serveHttp();
else servePipe();

function servePipe() {
  let buffer = Buffer.alloc(0);
  const send = (/** @type {object} */ message) => void stdout.write(`${JSON.stringify(message)}\n`);
  stdin.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let text = next(); text !== undefined; text = next()) take(text, send);
  });
  stdin.on('end', () => exit(0));

  /** @returns {string | undefined} */
  function next() {
    if (mode === 'framed') {
      const head = buffer.indexOf('\r\n\r\n');
      if (head === -1) return undefined;
      const bytes = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, head).toString())?.[1] ?? 0);
      if (buffer.length < head + 4 + bytes) return undefined;
      const text = buffer.subarray(head + 4, head + 4 + bytes).toString();
      buffer = buffer.subarray(head + 4 + bytes);
      return text;
    }
    const end = buffer.indexOf('\n');
    if (end === -1) return undefined;
    const line = buffer.subarray(0, end).toString();
    buffer = buffer.subarray(end + 1);
    return line;
  }
}

/**
 * @param {string} text
 * @param {(message: object) => void} send
 */
function take(text, send) {
  let request;
  try {
    request = JSON.parse(text);
  } catch {
    if (mode === 'deaf') exit(5);
    return;
  }
  answer(request, send);
}

function serveHttp() {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      /** @type {object[]} */
      const messages = [];
      take(body, (message) => messages.push(message));
      if (messages.length === 0) return void response.writeHead(202).end();
      const isStream = mode === 'http-twice';
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      const text = messages.map((message) => JSON.stringify(message));
      response.end(isStream ? text.map((one) => `event: message\ndata: ${one}\n\n`).join('') : text[0]);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`);
  });
}
