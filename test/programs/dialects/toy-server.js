// @ts-check
/**
 * A server of the toy dialect on stdio, written with nothing of ours. Its tickets are files, so they outlive it.
 *
 * node toy-server.js DIR; the file `open-GATE` in DIR lets the work of that gate be done, and runs are noted there.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [dir = ''] = process.argv.slice(2);

/** @param {object} message */
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** @param {string} text */
const toResult = (text) => ({ content: [{ type: 'text', text }] });

/** @param {number} id @param {{ arguments: { gate: string }, _meta?: { toy?: boolean } }} params */
function call(id, { arguments: { gate }, _meta }) {
  appendFileSync(join(dir, 'runs.txt'), `${gate}\n`);
  if (_meta?.toy !== true) return write({ id, result: toResult('nobody asked for a ticket') });
  const ticket = randomUUID();
  writeFileSync(join(dir, `ticket-${ticket}`), gate);
  write({ id, result: { ...toResult('it goes on'), toy: { ticket } } });
}

/** @param {number} id @param {{ ticket: string }} params */
function look(id, { ticket }) {
  const gate = readFileSync(join(dir, `ticket-${ticket}`), 'utf8');
  const isDone = existsSync(join(dir, `open-${gate}`));
  write({ id, result: isDone ? { done: true, result: toResult(`${gate} is open`) } : { done: false } });
}

const serverInfo = { name: 'toy', version: '1' };
const tools = [{ name: 'wait', inputSchema: { type: 'object' } }];

/** @type {Readonly<Record<string, (id: any, params: any) => unknown>>} */
const METHODS = {
  initialize: (id) => write({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }),
  'tools/list': (id) => write({ id, result: { tools } }),
  'tools/call': call,
  'toy/look': look,
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = METHODS[method];
  if (answer) answer(id, params);
  else if (id !== undefined) write({ id, error: { code: -32601, message: `Method not found: ${method}` } });
});
