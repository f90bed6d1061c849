// @ts-check
/**
 * The MCP server of a ChatOS plugin, as its authors write them: lines of JSON on stdio, without any library.
 *
 * A run is acknowledged at once. Its result is appended to the log of prompts once there is a file `finish` in the plugin's
 * data directory.
 */
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const TOOL = {
  name: 'runner_window_run',
  description: 'Queue a run in a UI window (async). Returns immediate ack; emits a smiley on completion.',
  inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
};
const SERVER_INFO = { name: 'com.example.runner.runner', version: '0.1.0' };
let isInitialized = false;

/** @param {number} code @param {string} message */
const refuse = (code, message) => ({ error: { code, message } });

/** @param {{ method: string, params?: any }} request */
function answer({ method, params = {} }) {
  if (method === 'initialize') {
    isInitialized = true;
    return { result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: SERVER_INFO } };
  }
  if (!isInitialized) return refuse(-32002, 'Server not initialized');
  if (method === 'ping') return { result: {} };
  if (method === 'tools/list') return { result: { tools: [TOOL] } };
  if (method !== 'tools/call') return refuse(-32601, `Method not found: ${method}`);
  if (params.name !== TOOL.name) return refuse(-32601, `Unknown tool: ${params.name}`);
  return start(params.arguments ?? {}, params._meta ?? {});
}

/** @param {{ prompt?: unknown }} args @param {any} meta */
function start({ prompt }, { taskId, chatos }) {
  if (typeof prompt !== 'string' || prompt.trim() === '') return refuse(-32602, 'prompt is required');
  if (typeof taskId !== 'string' || taskId === '') return refuse(-32602, 'taskId is required in _meta');
  const { stateDir, dataDir, projectRoot } = chatos.uiApp;
  mkdirSync(dataDir, { recursive: true });
  const timer = setInterval(() => {
    if (!existsSync(join(dataDir, 'finish'))) return;
    clearInterval(timer);
    finish({ taskId, prompt, stateDir, projectRoot });
  }, 100);
  return { result: { content: [{ type: 'text', text: '调用成功' }] } };
}

/** @param {{ taskId: string, prompt: string, stateDir: string, projectRoot: string }} run */
function finish({ taskId, prompt, stateDir, projectRoot }) {
  const markdown = [
    `**任务**：${prompt}`,
    `**目录**：\`${projectRoot}\``,
    '**状态**：completed',
    '**输出**：\n\ndone',
  ].join('\n\n');
  const about = { title: '执行结果', message: '任务已完成 😊', source: 'com.example.runner:runner', allowCancel: true };
  const request = { ts: new Date().toISOString(), type: 'ui_prompt', action: 'request', requestId: taskId };
  const entry = { ...request, prompt: { kind: 'result', ...about, markdown } };
  appendFileSync(join(stateDir, 'ui-prompts.jsonl'), `${JSON.stringify(entry)}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  if (request.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer(request) })}\n`);
});
