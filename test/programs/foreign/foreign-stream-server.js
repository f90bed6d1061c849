// @ts-check
/**
 * A server that acknowledges calls and streams their runs, on stdio, written from the contract's description alone and
 * with nothing of ours.
 *
 * node foreign-stream-server.js DIR; files in DIR open gates, and what is called is noted there.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [dir = ''] = process.argv.slice(2);
const CHUNK = 4000;

/** @param {object} message */
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** @param {string} line */
const note = (line) => appendFileSync(join(dir, 'runs.txt'), `${line}\n`);

const inputSchema = { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] };
const TOOLS = [
  { name: 'codex_app_window_run', description: 'Queues a run in a window', inputSchema },
  { name: 'long_work', description: 'Streams, though its name says nothing of it', inputSchema },
  { name: 'look_up', description: 'Answers at once', inputSchema: { type: 'object' } },
  { name: 'window_stop', description: 'Stops a run', inputSchema: { type: 'object' } },
];

/** What is told of one run. */
class Run {
  /** @param {string | number} rpcId @param {Record<string, any>} args @param {Record<string, any>} meta */
  constructor(rpcId, args, meta) {
    this.args = args;
    const { sessionId } = meta;
    this.ids = {
      requestId: `req-${rpcId}`,
      // Some apps keep ids as texts.
      rpcId: args.textId ? String(rpcId) : rpcId,
      ...(sessionId && { sessionId }),
      windowId: 'win-1',
      runId: `run-${rpcId}`,
    };
    this.seq = 0;
  }

  /** @param {string} source @param {object} more @param {string} text */
  event(source, more, text) {
    this.seq += 1;
    const ts = new Date().toISOString();
    const event = { seq: this.seq, ts, source, ...more };
    this.tell('stream', { event, text: `[${ts}] ${text}` });
  }

  /** @param {string} what @param {object} params */
  tell(what, params) {
    write({ method: `codex_app.window_run.${what}`, params: { ...this.ids, ...params } });
  }

  begin() {
    this.event('system', { kind: 'status', status: 'running' }, 'status running');
    this.event('codex', { event: { type: 'thread.started', thread_id: 't1' } }, 'thread.started threadId=t1');
    const item = { id: 'item_1', type: 'agent_message', text: `Working on ${this.args.prompt}` };
    this.event('codex', { event: { type: 'item.completed', item } }, 'item.completed assistant "Working on…"');
  }

  end() {
    const { final = `Did ${this.args.prompt}`, status = 'completed', noText = false } = this.args;
    const chunkCount = Math.ceil(final.length / CHUNK);
    for (let chunkIndex = 0; !noText && chunkIndex < chunkCount; chunkIndex++) {
      const text = final.slice(chunkIndex * CHUNK, (chunkIndex + 1) * CHUNK);
      const piece = { finalText: text, text, final: true, finalTextChunk: true, chunkId: 'final' };
      this.tell('stream', { ...piece, chunkIndex, chunkCount, finalTextComplete: chunkCount === 1 });
    }
    const finishedAt = new Date().toISOString();
    this.tell('stream', { done: true, status, finishedAt });
    this.tell('completed', { status, finishedAt, result: '😊' });
  }
}

/** @param {string} gate @param {() => void} then */
function whenOpen(gate, then) {
  const timer = setInterval(() => {
    if (!existsSync(join(dir, `open-${gate}`))) return;
    clearInterval(timer);
    then();
  }, 5);
}

/** @param {number | string} id @param {{ name: string, arguments?: Record<string, any>, _meta?: Record<string, any> }} call */
function call(id, { name, arguments: args = {}, _meta = {} }) {
  note(`${name} ${name === 'window_stop' ? JSON.stringify(args) : `stream=${_meta.stream}`}`);
  const answer = (text = '调用成功') => write({ id, result: { content: [{ type: 'text', text }] } });
  if (name === 'look_up') return answer('looked up');
  if (name === 'window_stop') return answer('stopped');
  const run = new Run(id, args, _meta);
  if (args.early) run.begin();
  answer();
  if (!args.early) run.begin();
  if (args.gate) return whenOpen(args.gate, () => run.end());
  run.end();
}

/** @type {Readonly<Record<string, (id: any, params: any) => unknown>>} */
const METHODS = {
  initialize: (id) => {
    const serverInfo = { name: 'com.example.codex_app', version: '0.1.0' };
    write({ id, result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo } });
  },
  'tools/list': (id) => write({ id, result: { tools: TOOLS } }),
  'tools/call': call,
  ping: (id) => write({ id, result: {} }),
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = METHODS[method];
  if (answer) answer(id, params);
  else if (id !== undefined) write({ id, error: { code: -32601, message: `Method not found: ${method}` } });
});
lines.on('close', () => process.exit());
