// @ts-check
/**
 * An MCP server on stdio that means harm to its host, written without any SDK.
 *
 * node hostile-server.js; the tool that is called says what it does.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const TOOLS = ['echo', 'environment', 'big', 'endless', 'noise', 'pings', 'deep', 'wide', 'news', 'ask'];
const CHUNK = 'x'.repeat(64 * 1024);

/** @param {unknown} message */
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** @param {unknown} id @param {object} result */
const answer = (id, result) => send({ jsonrpc: '2.0', id, result });

/** @param {string} text */
const toContent = (text) => ({ content: [{ type: 'text', text }] });

/** @param {number} bytes */
async function write(bytes) {
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    if (!process.stdout.write(CHUNK.slice(0, left))) await once(process.stdout, 'drain');
  }
}

/** @type {Readonly<Record<string, (id: unknown, args: any) => unknown>>} */
const HARM = {
  echo: (id, { text = 'here' }) => answer(id, toContent(text)),
  environment: (id) => answer(id, toContent(JSON.stringify(process.env))),
  // Where the id stands is the server's choice.
  async big(id, { bytes, idLast = true }) {
    process.stdout.write(idLast ? '{"result":{"content":[{"type":"text","text":"' : `{"id":${id},"result":{"a":"`);
    await write(bytes);
    process.stdout.write(idLast ? `"}]},"jsonrpc":"2.0","id":${id}}\n` : '"},"jsonrpc":"2.0"}\n');
  },
  async endless() {
    process.stdout.write('{"result":{"a":"');
    await write(Number.POSITIVE_INFINITY);
  },
  async noise(id, { bytes }) {
    await write(bytes);
    process.stdout.write('\n');
    answer(id, toContent('after the noise'));
  },
  // Whoever does not read what it asked for fills the memory of the one who answers.
  async pings(id, { count }) {
    lines.pause();
    for (let at = 0; at < count; at++) {
      const text = `${JSON.stringify({ jsonrpc: '2.0', id: `ping-${at}`, method: 'ping' })}\n`;
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    }
    pinging = { id, answered: 0 };
    lines.resume();
  },
  deep(id, { depth }) {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"deep":`);
    process.stdout.write(`${'['.repeat(depth)}${']'.repeat(depth)}}}\n`);
  },
  // Members of its own: of the answer, of what is said before it, or of a question before it.
  wide(id, { count, place }) {
    const members = Array.from({ length: count }, (_, at) => `"k${at}":0`).join();
    const params = place === 'form' ? `{"message":"","requestedSchema":{"properties":{${members}}}}` : `{${members}}`;
    const asked = place === 'form' ? '"id":"form","method":"elicitation/create"' : '"method":"notifications/x"';
    const names = new Map([
      ['meta', '"_meta":'],
      ['escaped meta', '"\\u005fmeta":'],
      ['distant meta', `"_meta"${' '.repeat(99)}:`],
    ]);
    const wide = names.has(place) ? `{${names.get(place)}{${members}}}` : params;
    if (place === 'result') process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{${members}}}\n`);
    else process.stdout.write(`{"jsonrpc":"2.0",${asked},"params":${wide}}\n`);
    if (place !== 'result') answer(id, toContent('after it'));
  },
  // Updates of a call, each as large as a frame may be.
  async news(id, { count, bytes, progressToken }) {
    for (let at = 0; at < count; at++) {
      const message = String(at).padEnd(bytes, 'n');
      const params = { progressToken, progress: at, message };
      if (!send({ jsonrpc: '2.0', method: 'notifications/progress', params })) await once(process.stdout, 'drain');
    }
    answer(id, toContent('told'));
  },
  ask(id, { count }) {
    asking = { id, left: count, refused: 0 };
    for (let at = 0; at < count; at++) {
      const params = { message: `Question ${at}`, requestedSchema: { type: 'object', properties: {} } };
      send({ jsonrpc: '2.0', id: `ask-${at}`, method: 'elicitation/create', params });
    }
  },
};

/** @type {{ id: unknown, left: number, refused: number } | undefined} */
let asking;

/** @type {{ id: unknown, answered: number } | undefined} */
let pinging;
/** Answers are written one after the other. @type {Promise<unknown>} */
let busy = Promise.resolve();

/** @param {any} message */
function hear({ id, method, params, error }) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    answer(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } });
  } else if (method === 'tools/list') {
    answer(id, { tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) });
  } else if (method === 'tools/call') {
    const { progressToken } = params._meta ?? {};
    busy = busy.then(() => HARM[params.name]?.(id, { ...params.arguments, progressToken }));
  } else if (method !== undefined && id !== undefined) {
    send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  } else {
    hearAnswer({ id, error });
  }
}

/** @param {any} message */
function hearAnswer({ id, error }) {
  if (asking && String(id).startsWith('ask-')) {
    asking.refused += error ? 1 : 0;
    if (asking.refused > 0) answer(asking.id, toContent(`refused ${asking.refused}`));
  } else if (pinging && String(id).startsWith('ping-')) {
    pinging.answered += 1;
    // The first of these that is answered comes behind all that were.
    send({ jsonrpc: '2.0', id: 'fence', method: 'ping' });
  } else if (pinging && id === 'fence') {
    answer(pinging.id, toContent(String(pinging.answered)));
    pinging = undefined;
  }
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => hear(JSON.parse(line)));
lines.on('close', () => process.exit());
