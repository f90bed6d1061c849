import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { until } from 'holdfast/testing';
import { StdioTransport, type StdioTransportOptions } from '../../src/server/stdio/stdio-transport.ts';

/** A message as it was seen on the wire. */
export interface Seen {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A transport with both its streams in the hands of the test. */
export interface Wire {
  readonly transport: StdioTransport;
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** What was delivered. */
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  readonly closes: string[];
  /** The frames sent so far; throws when a line is no JSON. */
  sent(): Seen[];
  untilSent(count: number): Promise<Seen[]>;
}

/** A transport that is not started, for others to start. */
export function createWire(options: StdioTransportOptions = {}): Wire {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new StdioTransport({ input, output, ...options });
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const sent = () => {
    const lines = Buffer.concat(chunks).toString().split('\n');
    if (lines.pop() !== '') throw new Error('the last frame has no end');
    return lines.map((line) => JSON.parse(line) as Seen);
  };
  const untilSent = (count: number) =>
    until(() => (sent().length >= count ? sent() : undefined), { what: `${count} frames` });
  return { transport, input, output, messages: [], errors: [], closes: [], sent, untilSent };
}

export async function openWire(options: StdioTransportOptions = {}): Promise<Wire> {
  const wire = createWire(options);
  const { transport, messages, errors, closes } = wire;
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error);
  transport.onclose = () => closes.push('closed');
  transport.onended = () => closes.push('ended');
  await transport.start();
  return wire;
}

/** Lets everything written to the input so far be read. */
export async function settle({ input, messages }: Wire): Promise<void> {
  const marker = { jsonrpc: '2.0' as const, method: `notifications/settled/${messages.length}` };
  input.write(`\n${JSON.stringify(marker)}\n`);
  await until(() => messages.some((message) => 'method' in message && message.method === marker.method));
  messages.pop();
}
