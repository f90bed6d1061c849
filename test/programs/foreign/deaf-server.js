// @ts-check
/**
 * A server on stdio, with nothing of ours, that does not heed a cancel; as most servers do not.
 *
 * node deaf-server.js DIR; files in DIR open gates, and what happens is noted there. Each piece of work starts a program.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [dir = ''] = process.argv.slice(2);

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);
/** @param {object} message */
const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** @param {string} text */
const toText = (text) => ({ content: [{ type: 'text', text }] });

/** @type {Map<unknown, (result: any) => void>} */
const answers = new Map();
/** @type {Set<unknown>} */
const cancelled = new Set();
let asked = 0;

/** @param {() => boolean} isOver */
const untilOver = (isOver) =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isOver()) return;
      clearInterval(timer);
      resolve(undefined);
    }, 5);
  });

/** @param {object} params */
const ask = (params) =>
  new Promise((resolve) => {
    asked += 1;
    answers.set(asked, resolve);
    send({ id: asked, method: 'elicitation/create', params });
  });

/** @param {string} name @param {any} args @param {unknown} id */
async function work(name, { gate, words, level = 'notice' }, id) {
  note(`${name} ${gate} in ${process.pid}`);
  const isOpen = () => existsSync(join(dir, `open-${gate}`));
  if (words !== undefined) send({ method: 'notifications/message', params: { level, logger: 'deaf', data: words } });
  if (name === 'work') note(`child ${spawn('sleep', ['600'], { stdio: 'ignore' }).pid}`);
  await untilOver(() => isOpen() || (name === 'heed' && cancelled.has(id)));
  if (name !== 'ask') return toText(isOpen() ? `${gate} is open` : `${gate} was given up`);
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  const answer = await ask({ message: `Who is ${gate}?`, requestedSchema });
  return toText(`${gate} is ${answer?.content?.name ?? answer?.action}`);
}

/** @param {any} message */
async function take({ id, method, params = {}, result }) {
  if (method === undefined) return answers.get(id)?.(result);
  if (method === 'notifications/cancelled') {
    note('told of a cancel');
    cancelled.add(params.requestId);
  }
  if (id === undefined) return;
  const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
  const serverInfo = { name: 'deaf', version: '1.0.0' };
  const inputSchema = { type: 'object' };
  const peek = { name: 'peek', inputSchema, annotations: { readOnlyHint: true } };
  const tools = [...['work', 'heed', 'ask'].map((name) => ({ name, inputSchema })), peek];
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') send({ id, result: await work(params.name, params.arguments ?? {}, id) });
  else if (method === 'ping') send({ id, result: {} });
  else if (method === 'logging/setLevel' || method === 'resources/subscribe') {
    note(`${method} ${params.level ?? params.uri}`);
    send({ id, result: {} });
  } else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}

createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
// It goes on when its input ends, too.
setInterval(() => {}, 60_000);
note(`runs ${process.pid}`);
