import type { FetchLike, Transport } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../dialects/host-port.ts';
import { isStreamOption, type StreamOption } from '../../dialects/stream/expect-stream.ts';
import { TaskError } from '../../errors.ts';
import { isPassEnv } from '../../process/child-environment.ts';
import { ChildTransport, type ChildTransportOptions } from '../transports/child-transport.ts';
import { HttpTransport, type HttpTransportOptions } from '../transports/http-transport.ts';

/** How a server is reached. */
export type ServerSpec = StdioSpec | HttpSpec | TransportSpec;

/** What every way to reach a server has. */
export interface CommonSpec {
  /** What every call carries as `_meta`; `asyncTask` in it says which tools answer through the log of prompts. */
  readonly callMeta?: JsonObject;
  /**
   * Which tools only acknowledge a call and tell the rest by notifications, on servers that do not say so themselves.
   * Such a call waits for the end of its stream; `false` takes every answer for the result.
   *
   * @default tools named `…window_run`, and calls with `stream: true` in `_meta`
   */
  readonly stream?: StreamOption;
}

/** A server that is started as a child process and reached on its stdin and stdout. */
export interface StdioSpec extends CommonSpec {
  readonly command: string;
  readonly args?: readonly string[];
  /** Set for the server, beside the SDK's short list (HOME, PATH, USER and the like). */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Variables of this process that the server gets too: names, or how they begin (`AWS_*`). Everything in the environment
   * of a host is a secret of somebody's; a server gets what it needs.
   *
   * @default []
   */
  readonly passEnv?: readonly string[];
  readonly cwd?: string;
  /** What becomes of the server's own output. On a terminal its control characters are made visible. @default 'inherit' */
  readonly stderr?: 'inherit' | 'ignore';
}

/** A server that is reached over HTTP. */
export interface HttpSpec extends CommonSpec {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default one that waits for as long as the server is silent */
  readonly fetch?: FetchLike;
}

/** For servers in this process, and for ways we do not know. */
export interface TransportSpec extends CommonSpec {
  /** Opens a new way to the server; called again after each loss. */
  readonly transport: () => Transport | Promise<Transport>;
}

/** Checks how a server is reached; a complaint names the field, its value and what is expected. */
export function parseServerSpec(name: string, spec: ServerSpec): ServerSpec {
  if (typeof name !== 'string' || name === '') throw invalid(name, 'name to be a non-empty text', name);
  const given = (spec ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const ways = ['command', 'url', 'transport'].filter((way) => given[way] !== undefined);
  if (ways.length !== 1) throw invalid(name, 'exactly one of command, url and transport', spec);
  const unknown = Object.keys(given).find((field) => !(field in FIELDS));
  if (unknown !== undefined) throw invalid(name, `only the fields ${Object.keys(FIELDS).join(', ')}`, unknown);
  for (const [field, { isValid, expected }] of Object.entries(FIELDS)) {
    const value = given[field];
    if (value !== undefined && !isValid(value)) throw invalid(name, `${field} to be ${expected}`, value);
  }
  return spec;
}

interface Field {
  readonly expected: string;
  isValid(value: unknown): boolean;
}

const TEXT: Field = { expected: 'a non-empty text', isValid: (value) => typeof value === 'string' && value !== '' };
const TEXTS: Field = { expected: 'an object of texts', isValid: isRecordOfTexts };
const FUNCTION: Field = { expected: 'a function', isValid: (value) => typeof value === 'function' };

const FIELDS: Readonly<Record<string, Field>> = {
  command: TEXT,
  args: {
    expected: 'a list of texts',
    isValid: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  },
  env: TEXTS,
  passEnv: { expected: 'a list of names, each with a * at its end or without', isValid: isPassEnv },
  cwd: TEXT,
  stderr: { expected: '"inherit" or "ignore"', isValid: (value) => value === 'inherit' || value === 'ignore' },
  url: { expected: 'an http or https URL', isValid: isHttpUrl },
  headers: TEXTS,
  fetch: FUNCTION,
  transport: FUNCTION,
  callMeta: { expected: 'an object', isValid: isObject },
  stream: { expected: 'true, false or { tools: […] }', isValid: isStreamOption },
};

export interface TransportOptions extends HttpTransportOptions {
  /** How others learn of a server that runs as a child process. */
  prepareChild(): ChildTransportOptions['child'];
}

/** Opens a new way to the server; what comes on it is limited, except on ways that we do not know. */
export async function openTransport(spec: ServerSpec, options: TransportOptions): Promise<Transport> {
  if ('transport' in spec) return spec.transport();
  if ('url' in spec) return new HttpTransport(spec, options);
  return new ChildTransport(spec, { ...options, child: options.prepareChild() });
}

export function isStdio(spec: ServerSpec): boolean {
  return 'command' in spec;
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isRecordOfTexts(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string');
}

function isHttpUrl(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function invalid(name: string, wanted: string, value: unknown): TaskError {
  return new TaskError('INVALID_ARGUMENT', `server ${name}: expected ${wanted}, got ${JSON.stringify(value)}`);
}
