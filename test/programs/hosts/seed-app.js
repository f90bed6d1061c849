// @ts-check
/**
 * An app of the file-log contract, written from its description alone: no SDK, nothing of Holdfast, plain appends.
 *
 * node seed-app.js DIR; a run waits for a file in DIR that opens its gate. Its tasks are in a file, so that a process
 * that comes after a killed one finishes them.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** @typedef {{ id: string, status: string, gate: string, field: string, log: string, resultText?: string }} McpTask */

const [dir = ''] = process.argv.slice(2);
const stateFile = join(dir, 'seed_app_state.v1.json');
/** @type {{ mcpTasks: McpTask[] }} */
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : { mcpTasks: [] };

watch(dir, finishOpen);
finishOpen();

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answerTo(method, params);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
process.stdin.on('end', () => process.exit());

/**
 * @param {string} method
 * @param {any} params
 */
function answerTo(method, params) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2024-11-05',
          capabilities: { tools: {} },
          serverInfo: { name: 'seed', version: '1' },
        },
      };
    case 'ping':
      return { result: {} };
    case 'tools/list': {
      const properties = { gate: { type: 'string' }, field: { type: 'string' } };
      return {
        result: { tools: ['app_run', 'greet'].map((name) => ({ name, inputSchema: { type: 'object', properties } })) },
      };
    }
    case 'tools/call':
      return call(params);
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}

/** @param {{ name: string, arguments?: { gate?: string, field?: string }, _meta?: any }} params */
function call({ name, arguments: args = {}, _meta = {} }) {
  if (name === 'greet') return toText('Hello!');
  const { taskId } = _meta;
  if (typeof taskId !== 'string' || taskId.trim() === '') {
    return { error: { code: -32602, message: 'taskId is required in _meta' } };
  }
  const log = join(_meta.chatos.uiApp.stateDir, 'ui-prompts.jsonl');
  state.mcpTasks.push({ id: taskId, status: 'running', gate: args.gate ?? '', field: args.field ?? 'markdown', log });
  save();
  appendFileSync(join(dir, 'runs.txt'), `ran ${args.gate}\n`);
  finishOpen();
  return toText('调用成功');
}

/** @param {string} text */
function toText(text) {
  return { result: { content: [{ type: 'text', text }] } };
}

function finishOpen() {
  for (const task of state.mcpTasks) {
    if (task.status !== 'running' || !existsSync(join(dir, `open-${task.gate}`))) continue;
    const resultText = `# ${task.gate}\n\n完成 😊`;
    const entry = {
      ts: new Date().toISOString(),
      type: 'ui_prompt',
      action: 'request',
      requestId: task.id,
      prompt: { kind: 'result', title: '执行结果', [task.field]: resultText },
    };
    mkdirSync(dirname(task.log), { recursive: true });
    appendFileSync(task.log, `${JSON.stringify(entry)}\n`);
    Object.assign(task, { status: 'completed', resultText });
    save();
  }
}

function save() {
  writeFileSync(stateFile, JSON.stringify(state));
}
