// @ts-check
/**
 * A server of two-stage jobs on stdio, written from their description alone and with nothing of ours.
 *
 * node host-job-server.js DIR; files in DIR open gates, and runs of tools are noted there.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [dir = ''] = process.argv.slice(2);

/** @param {object} message */
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** @param {string} method @param {object} params */
const tell = (method, params) => write({ method, params: { ...params, timestamp: new Date().toISOString() } });

const TOOL = {
  name: 'sync',
  description: 'Syncs',
  async: true,
  inputSchema: { type: 'object', properties: { gate: { type: 'string' } } },
};
const LOOKUP = { name: 'lookup', description: 'Finds the id of a job', inputSchema: { type: 'object' } };

/** The first answer, in one of the forms it is met in. @param {string} form @param {object} report */
function toStage1(form, report) {
  const text = { content: [{ type: 'text', text: JSON.stringify(report) }] };
  if (form === 'text') return text;
  return form === 'structured' ? { ...text, structuredContent: report } : report;
}

/** @param {string} job_id @param {{ gate?: string, fail?: boolean }} args */
function work(job_id, { gate, fail = false }) {
  tell('notifications/progress', { job_id, progress: 0.3, message: 'Processing 150 of 500 files...' });
  const end = () => {
    const failed = {
      success: false,
      data: {},
      messages: [{ type: 'error', text: 'Failed to sync: Permission denied', details: 'Full error traceback...' }],
    };
    const done = {
      success: true,
      data: { files_processed: 500 },
      messages: [{ type: 'success', text: 'Sync completed successfully' }],
    };
    tell('notifications/tool_result', { job_id, result: fail ? failed : done });
  };
  if (gate === undefined) return end();
  const timer = setInterval(() => {
    if (!existsSync(join(dir, `open-${gate}`))) return;
    clearInterval(timer);
    end();
  }, 5);
}

/** @param {number | string} id @param {{ name: string, arguments?: Record<string, any> }} call */
function call(id, { name, arguments: args = {} }) {
  const job_id = randomUUID();
  if (name === 'lookup') {
    appendFileSync(join(dir, 'runs.txt'), `lookup ${args.label ?? ''} 1\n`);
    const structuredContent = { success: true, data: { job_id }, messages: [] };
    return write({ id, result: { content: [], structuredContent } });
  }
  appendFileSync(join(dir, 'runs.txt'), `sync ${args.label ?? ''} 1\n`);
  const data = { job_id, estimated_runtime_seconds: 45.0, status: 'queued' };
  const messages = [{ type: 'info', text: 'Operation queued. Estimated runtime: 45s' }];
  const answer = () => write({ id, result: toStage1(args.form ?? 'bare', { success: true, data, messages }) });
  if (args.whenCancelled) waiting.push(answer);
  else if (!args.early) answer();
  work(job_id, args);
  if (args.early) answer();
}

/** Answers that are given when a cancel is told. @type {(() => void)[]} */
const waiting = [];

/** @type {Readonly<Record<string, (id: any, params: any) => unknown>>} */
const METHODS = {
  initialize: (id) => {
    const serverInfo = { name: 'jobs', version: '1' };
    write({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
  },
  'tools/list': (id) => write({ id, result: { tools: [TOOL, LOOKUP] } }),
  'tools/call': call,
  'notifications/cancelled': () => {
    for (const answer of waiting.splice(0)) answer();
  },
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
