import type { FetchLike, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { SpecField } from '../../dialects/host-dialect.ts';
import type { JsonObject } from '../../dialects/host-port.ts';
import type { DialectFields } from '../../dialects/spec-fields.ts';
import { invalidField, refusedField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import { callback, isText, onlyFields, text, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import { isPassEnv } from '../../process/child-environment.ts';

/** How a server is reached. */
export type ServerSpec = StdioSpec | HttpSpec | TransportSpec;

/** Settings of a server, whichever transport it has. */
export interface ServerTraits extends DialectFields {
  /**
   * Whether its calls may be sent again when their outcome is unknown; see `CallOptions.repeat`.
   *
   * @default only tools that it marks both idempotent and read-only
   */
  readonly repeat?: 'never' | 'idempotent';
}

/** A server that is started as a child process, with MCP on its stdin and stdout. */
export interface StdioSpec extends ServerTraits {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables set for the server, in addition to the SDK's short list (HOME, PATH, USER and the like). */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Variables of this process that are passed to the server: names, or prefixes with a star (`AWS_*`). The environment of a host
   * is full of secrets; a server gets only what it needs.
   *
   * @default []
   */
  readonly passEnv?: readonly string[];
  readonly cwd?: string;
  /** What happens to the server's stderr. On a terminal its control characters are made visible. @default 'inherit' */
  readonly stderr?: 'inherit' | 'ignore';
}

/** A server that is reached over HTTP. */
export interface HttpSpec extends ServerTraits {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default one that waits for as long as the server is silent */
  readonly fetch?: FetchLike;
}

/** A server with a transport of your own, such as one in this process. */
export interface TransportSpec extends ServerTraits {
  /** Opens a new connection to the server; called again after each lost connection. */
  readonly transport: () => Transport | Promise<Transport>;
}

const WAYS = ['command', 'url', 'transport'] as const;

/** Checks a server spec, including the fields that dialects define; the error names the field, its value and what is expected. */
export function parseServerSpec(name: string, spec: unknown, dialectFields: DialectSpecFields): ServerSpec {
  if (!isText(name)) throw invalidField('the name of a server', name, 'a non-empty text');
  const of = `server ${name}`;
  const given = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const ways = WAYS.filter((way) => given[way] !== undefined);
  if (ways.length !== 1) {
    // The other fields may contain secrets.
    const says = `has ${ways.length === 0 ? 'none of them' : ways.join(' and ')}`;
    throw refusedField({ of, field: 'the spec', says, expected: `exactly one of ${WAYS.join(', ')}` });
  }
  const parse = optionsParser(() => onlyFields({ ...specShape(), ...toShape(dialectFields) }));
  parse(spec, { of, whole: 'the spec' });
  return spec as ServerSpec;
}

type DialectSpecFields = Readonly<Record<string, SpecField>>;

function specShape() {
  const texts = () => z.object({}, 'an object of texts').catchall(z.string('a text'));
  return {
    command: text().optional(),
    args: z.array(z.string('a text'), 'a list of texts').optional(),
    env: texts().optional(),
    passEnv: value<readonly string[]>('a list of names, each with a * at its end or without', isPassEnv).optional(),
    cwd: text().optional(),
    stderr: z.enum(['inherit', 'ignore'], '"inherit" or "ignore"').optional(),
    url: value<string>('an http or https URL', isHttpUrl).optional(),
    headers: texts().optional(),
    fetch: callback<FetchLike>().optional(),
    transport: callback<TransportSpec['transport']>().optional(),
    repeat: z.enum(['never', 'idempotent'], '"never" or "idempotent"').optional(),
    callMeta: value<JsonObject>('an object', isObject).optional(),
  } satisfies OptionsShape<Omit<Partial<StdioSpec & HttpSpec & TransportSpec>, 'stream'>>;
}

/** Converts the fields of dialects, which are declared without zod. */
function toShape(fields: DialectSpecFields): Record<string, z.ZodType> {
  const schemas = Object.entries(fields).map(([field, { expected, isValid }]) => {
    return [field, value(expected, isValid).optional()] as const;
  });
  return Object.fromEntries(schemas);
}

export function isStdio(spec: ServerSpec): boolean {
  return 'command' in spec;
}

function isHttpUrl(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
