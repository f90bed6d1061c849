/**
 * What the client on stdin can be asked, before anything else is made of its first words.
 *
 * An upstream offers other tools to a client that can be asked, so it must be told the truth when it is greeted.
 */
import type { HostOptions } from '../host/index.ts';
import type { TaskError } from '../index.ts';
import { isObject } from '../is-object.ts';

type Capabilities = NonNullable<HostOptions['capabilities']>;

const ASKABLE = ['elicitation', 'sampling', 'roots'] as const;
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
/** Who says nothing has everything made ready all the same. */
const SILENCE_MS = 1000;
const MAX_BYTES = 65_536;

/** What a client has said first. */
export interface FirstWords {
  /** What it can be asked; nothing where it has not said so. */
  readonly capabilities: Capabilities | undefined;
  /** The id of its request. */
  readonly id: string | number | undefined;
}

/** Reads the first message on stdin, and puts it back. */
export async function peekClient(stdin: NodeJS.ReadStream = process.stdin): Promise<FirstWords> {
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
  return readFirstWords(read);
}

/** Tells a client that waits for its first answer why there will be none: few show what a server writes to stderr. */
export function refuseClient({ id }: FirstWords, error: TaskError): Promise<void> {
  if (id === undefined) return Promise.resolve();
  const { message, code } = error;
  const answer = { jsonrpc: '2.0', id, error: { code: error.traits.rpc, message, data: { code } } };
  return new Promise((resolve) => void process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()));
}

/** What the first line of a client says, in the words of either era. */
export function readFirstWords(bytes: Buffer): FirstWords {
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
