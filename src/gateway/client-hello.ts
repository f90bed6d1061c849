/**
 * Reads the capabilities of the client on stdin from its first message, before the server handles it.
 *
 * An upstream offers other tools to a client that can answer questions, so the handshake with it must declare the client's real
 * capabilities.
 */
import type { HostOptions } from '../host/index.ts';
import type { TaskError } from '../index.ts';
import { isObject } from '../is-object.ts';

type Capabilities = NonNullable<HostOptions['capabilities']>;

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
/** After this time without a first message, the gateway starts anyway. */
const SILENCE_MS = 1000;
const MAX_BYTES = 65_536;

/** The part of a client's first message that the gateway needs. */
export interface ClientHello {
  /** Which questions the client can answer; undefined when it declared no capabilities. */
  readonly capabilities: Capabilities | undefined;
  /** The id of the client's first request. */
  readonly id: string | number | undefined;
}

/** Reads the first message on stdin, and pushes it back. */
export async function readClientHello(stdin: NodeJS.ReadStream = process.stdin): Promise<ClientHello> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(silence);
      stdin.off('readable', onReadable);
      stdin.off('end', done);
      stdin.off('error', done);
      resolve();
    };
    const onReadable = () => {
      for (;;) {
        const chunk = stdin.read() as Buffer | null;
        if (chunk === null) return;
        chunks.push(chunk);
        bytes += chunk.length;
        if (chunk.includes(10) || bytes > MAX_BYTES) return done();
      }
    };
    const silence = setTimeout(done, SILENCE_MS);
    stdin.on('readable', onReadable);
    stdin.once('end', done);
    stdin.once('error', done);
  });
  const read = Buffer.concat(chunks);
  if (read.length > 0) stdin.unshift(read);
  return parseClientHello(read);
}

/** Answers the client's first request with an error: few clients show what a server writes to stderr. */
export function rejectHandshake({ id }: ClientHello, error: TaskError): Promise<void> {
  if (id === undefined) return Promise.resolve();
  const { message, code } = error;
  const answer = { jsonrpc: '2.0', id, error: { code: error.traits.rpc, message, data: { code } } };
  return new Promise((resolve) => void process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()));
}

/** Parses the first line from a client, of either era. */
export function parseClientHello(bytes: Buffer): ClientHello {
  const end = bytes.indexOf(10);
  const message = parse(bytes.subarray(0, end < 0 ? bytes.length : end));
  if (!isObject(message)) return { capabilities: undefined, id: undefined };
  const { id, params } = message;
  const isId = typeof id === 'string' || typeof id === 'number';
  return { capabilities: readCapabilities(params), id: isId ? id : undefined };
}

function readCapabilities(params: unknown): Capabilities | undefined {
  if (!isObject(params)) return undefined;
  const { capabilities, _meta } = params;
  const declared = capabilities ?? (isObject(_meta) ? _meta[CLIENT_CAPABILITIES] : undefined);
  if (!isObject(declared)) return undefined;
  const askable = ASKABLE.filter((name) => isObject(declared[name])).map((name) => [name, declared[name]]);
  return Object.fromEntries(askable) as Capabilities;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
