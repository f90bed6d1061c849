// @ts-check
/**
 * A server of 2026-07-28 on stdio that means harm to its host, written without any SDK.
 *
 * Tools: `asks` asks before it begins for what its argument names; `task` is a task that asks so; `streams` is a task
 * whose every subscription is acknowledged and over at once, until it has been asked for as often as its argument says or
 * for three seconds; its result says how often it was.
 */
import { createInterface } from 'node:readline';

const DISCOVERED = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
  serverInfo: { name: 'hostile', version: '1' },
};
const TOOLS = ['asks', 'task', 'streams'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const CACHE = { ttlMs: 0, cacheScope: 'private' };

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** @type {any} */
let task = {};
/** @type {any} */
let args = {};
let [listened, since] = [0, 0];

/** @type {Readonly<Record<string, (params: any) => object>>} */
const METHODS = {
  'server/discover': () => ({ ...DISCOVERED, ...CACHE }),
  'tools/list': () => ({ tools: TOOLS, ...CACHE }),
  'tools/call': (params) => callTool(params),
  'tasks/get': () => getTask(),
  'tasks/update': ({ inputResponses }) => {
    task = { taskId: 't', status: 'completed', result: toContent(inputResponses) };
    return {};
  },
  'tasks/cancel': () => ({}),
  'subscriptions/listen': () => {
    listened += 1;
    send({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: ['t'] } },
    });
    return {};
  },
};

/** @param {any} params */
function callTool({ name, arguments: given, inputResponses }) {
  args = given;
  since = Date.now();
  const inputRequests = { a: args.request };
  if (name === 'asks')
    return inputResponses ? toContent(inputResponses) : { resultType: 'input_required', inputRequests };
  task = name === 'task' ? { status: 'input_required', inputRequests } : { status: 'working' };
  return { resultType: 'task', taskId: 't', ttlMs: 600_000, pollIntervalMs: 500, ...task };
}

function getTask() {
  const isOver = args.most !== undefined && (listened >= args.most || Date.now() - since > 3000);
  return { taskId: 't', ...(isOver ? { status: 'completed', result: toContent(listened) } : task) };
}

/** @param {unknown} value */
function toContent(value) {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] };
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = METHODS[method]?.(params ?? {});
  if (id === undefined) return;
  send(result ? { id, result: { resultType: 'complete', ...result } } : { id, error: { code: -32601, message: 'no' } });
});
lines.on('close', () => process.exit());
