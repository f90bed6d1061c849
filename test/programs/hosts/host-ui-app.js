// @ts-check
/**
 * An app that answers through the log of prompts, on version 1 of the SDK and without our server: it acknowledges each
 * run at once, and writes its result when the gate opens.
 *
 * node host-ui-app.js DIR; files in DIR open gates, and what happens is noted there.
 */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { createPromptLog } from 'holdfast/ui-prompts';

const [dir = ''] = process.argv.slice(2);

/** @param {string} line */
const note = (line) => appendFileSync(join(dir, 'runs.txt'), `${line}\n`);

/** @param {string} gate */
const untilOpen = (gate) =>
  new Promise((resolve) => {
    const look = () => {
      if (!existsSync(join(dir, `open-${gate}`))) return;
      watcher.close();
      resolve(undefined);
    };
    const watcher = watch(dir, look);
    look();
  });

const inputSchema = { type: 'object', properties: { gate: { type: 'string' }, fail: { type: 'boolean' } } };
const server = new Server({ name: 'app', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [
    { name: 'App_Run', inputSchema: { ...inputSchema, type: /** @type {const} */ ('object') } },
    { name: 'app_stop', inputSchema: { type: /** @type {const} */ ('object') } },
    { name: 'greet', inputSchema: { type: /** @type {const} */ ('object') } },
  ],
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const meta = /** @type {Record<string, any>} */ (params._meta ?? {});
  const { gate = '', fail = false } = /** @type {{ gate?: string, fail?: boolean }} */ (params.arguments ?? {});
  if (params.name === 'greet') return { content: [{ type: 'text', text: 'Hello!' }] };
  if (params.name === 'app_stop') {
    note(`stopped ${JSON.stringify(params.arguments)}`);
    return { content: [{ type: 'text', text: 'stopped' }] };
  }
  if (typeof meta.taskId !== 'string' || meta.taskId === '') throw new McpError(-32602, 'taskId is required in _meta');
  if (fail) return { isError: true, content: [{ type: 'text', text: 'no window' }] };
  note(`ran ${gate} with ${Object.keys(params.arguments ?? {}).join()} and stream ${meta.stream}`);
  const log = createPromptLog({ path: join(meta.chatos.uiApp.stateDir, 'ui-prompts.jsonl') });
  void untilOpen(gate).then(() => log.publishResult({ requestId: meta.taskId, text: `# ${gate} is open` }));
  return { content: [{ type: 'text', text: '调用成功' }] };
});
await server.connect(new StdioServerTransport());
