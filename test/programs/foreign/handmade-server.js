// @ts-check
/**
 * A server written by hand, without any SDK: it knows no tasks, forgets everything with its process, and keeps state in it.
 *
 * node handmade-server.js DIR; files in DIR open gates, and what happens is noted there. The next to find `end-at-list` ends when its
 * tools are asked for.
 */
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [dir = ''] = process.argv.slice(2);

/** @param {string} what */
const note = (what) => appendFileSync(join(dir, 'runs.txt'), `${what}\n`);
/** @param {object} message */
const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** @param {string} text */
const toText = (text) => ({ content: [{ type: 'text', text }] });

const inputSchema = { type: 'object' };
const TOOLS = [
  { name: 'hold', title: 'Hold', description: 'Waits for its gate', inputSchema },
  { name: 'read', inputSchema, annotations: { readOnlyHint: true, idempotentHint: true } },
  { name: 'put', inputSchema, annotations: { idempotentHint: true } },
  { name: 'count', inputSchema },
  { name: 'ask', inputSchema },
  { name: 'environment', inputSchema },
];

let counted = 0;
let asked = 0;
/** @type {Map<unknown, (result: any) => void>} */
const answers = new Map();
/** @type {Set<unknown>} */
const cancelled = new Set();

/** @param {string} gate */
const isOpen = (gate) => existsSync(join(dir, `open-${gate}`));

/** @param {string} gate @param {unknown} id */
const untilOpen = (gate, id) =>
  new Promise((resolve) => {
    const look = () => {
      if (!isOpen(gate) && !cancelled.has(id)) return;
      clearInterval(timer);
      resolve(undefined);
    };
    const timer = setInterval(look, 5);
  });

function endIfToldTo() {
  const path = join(dir, 'end-at-list');
  if (!existsSync(path)) return;
  rmSync(path);
  process.exit();
}

/** @param {object} params */
const ask = (params) =>
  new Promise((resolve) => {
    asked += 1;
    answers.set(asked, resolve);
    send({ id: asked, method: 'elicitation/create', params });
  });

/** @type {Record<string, (params: any, id: unknown) => unknown>} */
const methods = {
  initialize({ protocolVersion, clientInfo, capabilities }) {
    note(`hello ${clientInfo?.name}`);
    return {
      protocolVersion: protocolVersion === '2025-06-18' ? protocolVersion : '2025-11-25',
      capabilities: {
        tools: { listChanged: true },
        resources: {},
        'x-own': { asks: capabilities?.elicitation !== undefined },
      },
      serverInfo: { name: 'handmade', version: '1.2.3', title: 'Made by hand' },
      instructions: 'Open gates with files.',
    };
  },
  ping: () => ({}),
  'tools/list': () => {
    endIfToldTo();
    return { tools: TOOLS };
  },
  'resources/list': () => ({ resources: [{ uri: 'made://one', name: 'one', _meta: { 'x-own': 1 } }] }),
  'x/echo': (params) => ({ echoed: params }),
  'x/tell': (params) => {
    send({ method: 'notifications/x/told', params });
    return {};
  },
  async 'x/wait'(_params, id) {
    note('waits');
    await untilOpen('wait', id);
    return {};
  },
  async 'tools/call'({ name, arguments: args = {}, _meta = {} }, id) {
    if (name === 'count') return toText(String(++counted));
    if (name === 'environment') return toText(JSON.stringify(process.env));
    note(`${name} ${args.gate}`);
    if (_meta.progressToken !== undefined) {
      const params = { progressToken: _meta.progressToken, progress: 1, total: 4, message: `${name} ${args.gate}` };
      send({ method: 'notifications/progress', params });
    }
    await untilOpen(args.gate, id);
    if (name !== 'ask') return toText(`${args.gate} is open`);
    const properties = { name: { type: 'string' } };
    const answer = await ask({ message: `Who is ${args.gate}?`, requestedSchema: { type: 'object', properties } });
    return toText(`${args.gate} is ${answer?.content?.name ?? answer?.action}`);
  },
};

/** @param {any} message */
async function take({ id, method, params = {}, result }) {
  if (method === undefined) return answers.get(id)?.(result);
  if (id === undefined) {
    if (method !== 'notifications/initialized') note(`told ${method}`);
    if (method === 'notifications/cancelled') cancelled.add(params.requestId);
    return;
  }
  const serve = methods[method];
  if (!serve) return send({ id, error: { code: -32601, message: `no ${method}`, data: { asked: method } } });
  const answer = await serve(params, id);
  if (!cancelled.has(id)) send({ id, result: answer });
}

createInterface({ input: process.stdin })
  .on('line', (line) => void take(JSON.parse(line)))
  .on('close', () => process.exit());
note(`runs ${process.pid}`);
