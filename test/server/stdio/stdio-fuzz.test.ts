/**
 * Random input to a real SDK server over our transport: it neither dies nor hangs, every request is answered once,
 * and the next good request works. `HOLDFAST_FUZZ_RUNS` and `HOLDFAST_FUZZ_SEED` make it longer or another one.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createWire, type Seen } from '../open-wire.ts';

const { HOLDFAST_FUZZ_RUNS, HOLDFAST_FUZZ_SEED = '20261115' } = process.env;
const seed = Number(HOLDFAST_FUZZ_SEED);
const MESSAGES = Number(HOLDFAST_FUZZ_RUNS ?? 500);
const BYTE_LINES = Number(HOLDFAST_FUZZ_RUNS ?? 200);
const TIMEOUT_MS = 30_000 + 20 * (MESSAGES + BYTE_LINES);
const MAX_LINE_BYTES = 2000;

const LEGAL_CODES = [-32700, -32600, -32601, -32602, -32603];
const METHODS = ['ping', 'initialize', 'tools/list', 'tools/call', 'logging/setLevel', 'notifications/cancelled', ''];

const anyJson = fc.jsonValue({ maxDepth: 3 });
const id = fc.oneof({ weight: 5, arbitrary: fc.string() }, { weight: 5, arbitrary: fc.integer() }, anyJson);
const meta = fc.record({ progressToken: anyJson, other: anyJson }, { requiredKeys: [] });
const params = fc.oneof(
  anyJson,
  fc.record(
    { name: anyJson, arguments: anyJson, cursor: anyJson, requestId: anyJson, _meta: fc.oneof(meta, anyJson) },
    { requiredKeys: [] },
  ),
);
const message = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, anyJson),
      id,
      method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, fc.string(), anyJson),
      params,
      result: anyJson,
      error: fc.oneof(anyJson, fc.record({ code: anyJson, message: anyJson })),
      extra: anyJson,
    },
    { requiredKeys: ['jsonrpc'] },
  ),
  fc.record({ jsonrpc: fc.constant('2.0'), id, method: fc.constantFrom(...METHODS), params }),
  anyJson,
);

const good = Buffer.from('{"jsonrpc":"2.0","id":"a€😀","method":"ping","params":{}}');
const byteLine = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ minLength: MAX_LINE_BYTES, maxLength: 2 * MAX_LINE_BYTES, size: 'max' }),
  // A good line with some of its bytes replaced.
  fc
    .array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 })
    .map((changes) => changes.reduce((bytes, [at, byte]) => bytes.fill(byte, at, at + 1), Buffer.from(good))),
  fc.nat(good.length).map((length) => good.subarray(0, length)),
);

it(
  `survives ${MESSAGES} random messages, and answers every request once`,
  async () => {
    const exchange = await openExchange();
    await fc.assert(
      fc.asyncProperty(message, async (value) => {
        const answers = await exchange(Buffer.from(JSON.stringify(value)));
        const errors = answers.flatMap(({ error }) => (error ? [error.code] : []));
        expect(LEGAL_CODES).toEqual(expect.arrayContaining(errors));
        if (isRequest(value)) expect(answers.map((answer) => answer.id)).toEqual([value.id]);
        else if (!isObject(value)) expect(answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
        else expect(answers.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: MESSAGES, seed },
    );
  },
  TIMEOUT_MS,
);

it(
  `survives ${BYTE_LINES} lines of random bytes`,
  async () => {
    const exchange = await openExchange();
    await fc.assert(
      fc.asyncProperty(byteLine, async (bytes) => {
        for (const { error } of await exchange(bytes)) {
          if (error) expect(LEGAL_CODES).toContain(error.code);
        }
      }),
      { numRuns: BYTE_LINES, seed },
    );
  },
  TIMEOUT_MS,
);

/** Sends bytes as a line of their own and a good request after them; what was answered before the good request was. */
async function openExchange(): Promise<(bytes: Uint8Array) => Promise<Seen[]>> {
  const wire = createWire({ maxLineBytes: MAX_LINE_BYTES });
  const server = serveStdio(
    () => new McpServer({ name: 'fuzz', version: '1' }, { capabilities: { tools: {}, logging: {} } }),
    { transport: wire.transport },
  );
  onTestFinished(() => server.close());
  const frames: Seen[] = [];
  const lines = createInterface(wire.output);
  lines.on('line', (line) => frames.push(JSON.parse(line)));
  let count = 0;
  return async (bytes) => {
    const ping = `good:${count++}`;
    wire.input.write(Buffer.concat([bytes, Buffer.from(`\n{"jsonrpc":"2.0","id":"${ping}","method":"ping"}\n`)]));
    while (!frames.some((frame) => frame.id === ping)) await once(lines, 'line');
    // An answer that takes a few turns more than a ping is not late.
    await new Promise((resolve) => setImmediate(resolve));
    const answers = frames.splice(0);
    expect(answers.filter((answer) => answer.id === ping)).toEqual([{ jsonrpc: '2.0', id: ping, result: {} }]);
    return answers.filter((answer) => answer.id !== ping);
  };
}

/** A message anybody must answer by its id. */
function isRequest(value: unknown): value is { id: string | number } {
  if (!isObject(value) || typeof value.method !== 'string') return false;
  return typeof value.id === 'string' || Number.isSafeInteger(value.id);
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
