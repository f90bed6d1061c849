// @ts-check
/**
 * A server written by hand whose tools note in a journal when they begin and when they have finished.
 *
 * node journal-server.js DIR; it knows no tasks, and its work ends with its process.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as work } from 'node:timers/promises';
import { openJournal } from '../../../dist/apps/chaos/journal.js';

const [dir = ''] = process.argv.slice(2);
const journal = openJournal(join(dir, 'journal'), 'tool');
// Who started it: when that one has been killed, somebody else is its parent.
const parent = process.ppid;

const inputSchema = { type: 'object', properties: { callId: { type: 'string' }, ms: { type: 'number' } } };
const TOOLS = [
  { name: 'once', inputSchema },
  { name: 'again', inputSchema, annotations: { idempotentHint: true } },
];

/** @param {object} message */
const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** @type {Record<string, (params: any) => unknown>} */
const methods = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'journal', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: TOOLS }),
  async 'tools/call'({ arguments: { callId, ms } }) {
    // Whoever reads the journal finds out which attempt of which task it was.
    const act = { callId, taskId: '', attempt: 0, parent };
    journal.write({ kind: 'begun', ...act });
    await work(ms);
    journal.write({ kind: 'finished', ...act });
    return { content: [{ type: 'text', text: `done ${callId}` }] };
  },
};

/** @param {string} line */
async function take(line) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const serve = methods[method];
  if (serve) send({ id, result: await serve(params) });
  else send({ id, error: { code: -32601, message: `no ${method}` } });
}

createInterface({ input: process.stdin })
  .on('line', (line) => void take(line))
  .on('close', () => process.exit());
