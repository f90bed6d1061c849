// @ts-check
/**
 * A server on stdio that behaves badly in one way, with nothing of ours.
 *
 * node unruly-server.js MODE: silent, dies, garbage, wrong-ids, flood, huge, enormous, changes.
 */
import { createInterface } from 'node:readline';

const [mode = ''] = process.argv.slice(2);

if (mode === 'dies') {
  process.stderr.write('no key for the database\n');
  process.exit(3);
}

/** @param {object} message */
const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const HUGE = 20_000_000;
const PIECE = 'x'.repeat(1_000_000);
let tools = [`do-${mode}`];

const answerCall = () => ({
  content: [{ type: 'text', text: mode === 'huge' ? 'x'.repeat(HUGE) : `${mode} did it` }],
});

/** @type {Record<string, (params: any) => object>} */
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: mode, version: '1' },
  }),
  'tools/list': () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => {
    if (mode !== 'changes') return answerCall();
    if (name === 'do-changes') {
      tools = ['do-new'];
      send({ method: 'notifications/tools/list_changed' });
    }
    return { content: [{ type: 'text', text: `${name} by ${process.pid}` }] };
  },
  ping: () => ({}),
};

/** An answer that nobody could keep. @param {unknown} id @param {number} count */
function sendPieces(id, count) {
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
  for (let at = 0; at < count; at++) process.stdout.write(PIECE);
  process.stdout.write('"}]}}\n');
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined || mode === 'silent') return;
    if (mode === 'garbage') process.stdout.write('Listening on 8080\n{"half": \n\u0000\u0001\n');
    if (mode === 'wrong-ids') send({ id: `not-${id}`, result: { content: [] } });
    if (mode === 'flood' && method === 'tools/call') {
      for (let at = 0; at < 5000; at++) send({ method: 'notifications/message', params: { level: 'info', data: at } });
    }
    if (mode === 'enormous' && method === 'tools/call' && params.arguments?.megabytes) {
      return sendPieces(id, params.arguments.megabytes);
    }
    const answer = methods[method];
    if (answer) send({ id, result: answer(params) });
    else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  })
  .on('close', () => process.exit());
