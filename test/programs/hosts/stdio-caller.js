// @ts-check
/**
 * A client that starts a gateway on stdio, makes plain calls, and makes each again under its key until it has an outcome.
 *
 * node stdio-caller.js DIR GATEWAY PENDING; what it asked for and has not got is in its journal, so a new one goes on with it.
 */
import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openJournal, readJournals } from '../../../dist/apps/chaos/journal.js';

const [dir = '', gateway = '', most = '10'] = process.argv.slice(2);
const journals = join(dir, 'journal');
const journal = openJournal(journals, 'client');
const RETRY_MS = 200;

/** @typedef {{ readonly callId: string, readonly tool: string, readonly ms: number }} Asked */

/** @type {Map<string, Asked>} */
const open = new Map(readLeft().map((call) => [call.callId, call]));
/** @type {Map<number, Asked>} */
const sent = new Map();
/** @type {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null> | undefined} */
let child;
let lastId = 0;
let isClosing = false;
process.on('SIGTERM', () => {
  isClosing = true;
  if (!child) process.exit();
  child.stdin.end();
});

start();
setInterval(() => {
  if (!isClosing && open.size < Number(most) && !existsSync(join(dir, 'calm'))) ask();
}, 50);

/** Calls of the one before that have no outcome; how long they take is part of their id, because it must be the same again. */
function readLeft() {
  const entries = readJournals(journals).filter(({ by }) => by === 'client');
  const delivered = new Set(entries.flatMap((entry) => (entry.kind === 'delivered' ? [entry.callId] : [])));
  return entries.flatMap((entry) => {
    if (entry.kind !== 'asked' || delivered.has(entry.callId)) return [];
    return [{ callId: entry.callId, tool: entry.tool, ms: Number(entry.callId.split('-')[1]) }];
  });
}

function start() {
  sent.clear();
  const own = spawn(process.execPath, [gateway, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  child = own;
  own.stdin.on('error', () => {});
  own.once('exit', () => {
    if (isClosing) process.exit();
    child = undefined;
    setTimeout(start, RETRY_MS);
  });
  createInterface({ input: own.stdout }).on('line', (line) => hear(JSON.parse(line)));
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'caller', version: '1' } };
  write({ id: 0, method: 'initialize', params });
}

function ask() {
  const tool = randomInt(2) === 0 ? 'once' : 'again';
  const ms = randomInt(500, 4000);
  const call = { callId: `s-${ms}-${randomUUID().slice(0, 13)}`, tool, ms };
  journal.write({ kind: 'asked', callId: call.callId, tool, repeatable: tool === 'again' });
  open.set(call.callId, call);
  send(call);
}

/** @param {Asked} call */
function send(call) {
  const { callId, tool, ms } = call;
  lastId += 1;
  sent.set(lastId, call);
  const params = { name: tool, arguments: { callId, ms }, _meta: { 'holdfast/idempotencyKey': callId } };
  write({ id: lastId, method: 'tools/call', params });
}

/** @param {object} message */
function write(message) {
  child?.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @param {{ id?: number, method?: string, result?: any, error?: { message: string } }} message */
function hear({ id, method, result, error }) {
  if (method !== undefined || id === undefined) return;
  if (id === 0) {
    write({ method: 'notifications/initialized' });
    for (const call of open.values()) send(call);
    return;
  }
  const call = sent.get(id);
  sent.delete(id);
  if (call) take(call, result, error);
}

/** @param {Asked} call @param {any} result @param {{ message: string } | undefined} error */
function take(call, result, error) {
  const { callId } = call;
  const text = result?.content?.[0]?.text ?? error?.message ?? '';
  const isDone = !error && text === `done ${callId}`;
  const isInterrupted = /^Interrupted/i.test(text);
  if (isDone || isInterrupted) {
    const told = isDone
      ? { kind: /** @type {const} */ ('result'), text: JSON.stringify(result.content[0]) }
      : undefined;
    journal.write({ kind: 'delivered', callId, told: told ?? { kind: 'interrupted', text } });
    open.delete(callId);
    return;
  }
  // Handed over, or refused for now.
  setTimeout(() => open.has(callId) && send(call), RETRY_MS);
}
