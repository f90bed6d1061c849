import type { FetchLike, Transport } from '@modelcontextprotocol/client';
import type { SpecField } from '../../dialects/host-dialect.ts';
import type { DialectFields } from '../../dialects/spec-fields.ts';
import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { isPassEnv } from '../../process/child-environment.ts';

/** How a server is reached. */
export type ServerSpec = StdioSpec | HttpSpec | TransportSpec;

/** A server that is started as a child process and reached on its stdin and stdout. */
export interface StdioSpec extends DialectFields {
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
export interface HttpSpec extends DialectFields {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default one that waits for as long as the server is silent */
  readonly fetch?: FetchLike;
}

/** For servers in this process, and for transports of your own. */
export interface TransportSpec extends DialectFields {
  /** Opens a new connection to the server; called again after each loss. */
  readonly transport: () => Transport | Promise<Transport>;
}

/** Checks how a server is reached, with the fields that dialects understand; a complaint names the field, its value and what is expected. */
export function parseServerSpec(name: string, spec: unknown, dialectFields: Fields): ServerSpec {
  if (typeof name !== 'string' || name === '') throw invalid(name, 'name to be a non-empty text', name);
  const given = (spec ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const kinds = ['command', 'url', 'transport'].filter((kind) => given[kind] !== undefined);
  if (kinds.length !== 1) throw invalid(name, 'exactly one of command, url and transport', spec);
  const fields: Fields = { ...FIELDS, ...dialectFields };
  const unknown = Object.keys(given).find((field) => !(field in fields));
  if (unknown !== undefined) throw invalid(name, `only the fields ${Object.keys(fields).join(', ')}`, unknown);
  for (const [field, { isValid, expected }] of Object.entries(fields)) {
    const value = given[field];
    if (value !== undefined && !isValid(value)) throw invalid(name, `${field} to be ${expected}`, value);
  }
  return spec as ServerSpec;
}

type Fields = Readonly<Record<string, SpecField>>;

const TEXT: SpecField = { expected: 'a non-empty text', isValid: (value) => typeof value === 'string' && value !== '' };
const TEXTS: SpecField = { expected: 'an object of texts', isValid: isRecordOfTexts };
const FUNCTION: SpecField = { expected: 'a function', isValid: (value) => typeof value === 'function' };

const FIELDS: Fields = {
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
};

export function isStdio(spec: ServerSpec): boolean {
  return 'command' in spec;
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
