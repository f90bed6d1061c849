import { z } from 'zod';
import { type LimitSettings, toLimitSettings } from '../engine/limit-options.ts';
import { HTTP_DEFAULTS, HTTP_SHARES } from '../limits.ts';
import { onlyFields, value, whole } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';

/** Limits and timing of HTTP. */
export interface HttpOptions {
  /** Host names that a request may address; protects against DNS rebinding. @default those of this machine */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins whose pages may send requests, as browsers write them: `https://app.example:8443`. Pages of the server's
   * own host and port are always allowed. Protects against other pages open in a browser on this machine.
   *
   * @default none
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Where clients learn how to get a token (RFC 9728); sent with every 401. An absolute URL.
   *
   * @default none
   */
  readonly resourceMetadata?: string;
  /** The largest request body in bytes; larger ones are refused, to protect the memory. @default 4_194_304 */
  readonly maxBodyBytes?: number;
  /** How many bytes of request bodies may be read at the same time; more are refused with 503. @default 67_108_864 */
  readonly maxBytesInFlight?: number;
  /** How many sockets `listen` keeps open; further ones are closed at once. @default 8192 */
  readonly maxConnections?: number;
  /** How many requests may be waiting for their answer or have an open stream; more are refused with 503. @default 4096 */
  readonly maxRequests?: number;
  /** How many sessions are kept in memory; when all are in use, new ones are refused with 503. @default 10_000 */
  readonly maxSessions?: number;
  /** How many `subscriptions/listen` streams may be open. @default 1024 */
  readonly maxSubscriptions?: number;
  /**
   * What one principal may use of these limits; more is refused with 429. The limits on a principal's sessions and
   * subscriptions are in `limits.perPrincipal` of the server.
   */
  readonly perPrincipal?: {
    /** @default 512 with `verify`; without it there is one principal, who may use all */
    readonly requests?: number;
    /** @default 16_777_216 with `verify` */
    readonly bytesInFlight?: number;
  };
  /** How long `listen` waits for the headers of a request, so that idle connections are closed. @default 15_000 */
  readonly headersTimeoutMs?: number;
  /** How long `listen` waits for a complete request. @default 60_000 */
  readonly requestTimeoutMs?: number;
  /** How long an answer may take before an event stream is opened to keep the client waiting. @default 5000 */
  readonly firstCommentMs?: number;
  /** How long an event stream may be silent before a keep-alive comment. @default 10_000 */
  readonly keepAliveMs?: number;
  /**
   * How long a client waits before it resumes the broken stream of a call, sent to it in ms; twice that when the server
   * stops. Clients that retry only twice must find a server by then. @default 2000
   */
  readonly retryMs?: number;
  /** How long a session without open requests stays in memory; a later request restores it. @default 300_000 */
  readonly sessionIdleMs?: number;
  /** How long a session may be idle before it ends. @default 86_400_000 (a day) */
  readonly sessionMaxIdleMs?: number;
  /** How long a session may last. @default 604_800_000 (a week) */
  readonly sessionMaxAgeMs?: number;
}

export interface HttpSettings extends Readonly<Record<NumberField, number>> {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly resourceMetadata: string | undefined;
  readonly perPrincipal: Readonly<Record<'requests' | 'bytesInFlight' | 'sessions' | 'subscriptions', number>>;
}

const NUMBERS = { ...HTTP_DEFAULTS, firstCommentMs: 5000, keepAliveMs: 10_000, retryMs: 2000 } as const;

type NumberField = keyof typeof NUMBERS;

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/** Server settings that affect the HTTP limits. */
export interface HttpContext {
  /** Whether `verify` tells principals apart; otherwise there is one. */
  readonly hasPrincipals?: boolean;
  readonly limits?: LimitSettings;
}

/** Normalizes the URL: the parser's form has no character that could end the quoted header value it is sent in. */
function metadataSchema() {
  const isUrl = (url: unknown) => typeof url === 'string' && /^https?:$/.test(parseUrl(url)?.protocol ?? '');
  return value<string>('an absolute URL that begins with https:// or http://', isUrl).transform(
    (url) => new URL(url).href,
  );
}

/** A list whose elements `convert` can normalize. */
function listOf(expected: string, convert: (text: string) => string | undefined) {
  const isUsable = (one: unknown) => typeof one === 'string' && convert(one) !== undefined;
  const one = value<string>(expected, isUsable).transform((text) => convert(text) ?? text);
  return z.array(one, `a list, each ${expected}`);
}

function numbersSchema() {
  const entries = Object.entries(NUMBERS).map(([field, byDefault]) => [field, whole(1).default(byDefault)]);
  return Object.fromEntries(entries) as Record<NumberField, z.ZodDefault<z.ZodType<number>>>;
}

const parseFields = optionsParser(() =>
  onlyFields({
    ...numbersSchema(),
    allowedHosts: listOf('a host name', toHostName).default(THIS_MACHINE),
    allowedOrigins: listOf('an origin such as https://app.example or http://localhost:5173', toOrigin).default([]),
    resourceMetadata: metadataSchema().optional(),
    perPrincipal: onlyFields({ requests: whole(1).optional(), bytesInFlight: whole(1).optional() }).default({}),
  } satisfies OptionsShape<HttpOptions>),
);

export function parseHttpOptions(options: HttpOptions = {}, context: HttpContext = {}): HttpSettings {
  const { resourceMetadata, ...fields } = parseFields(options, { field: 'http' });
  return { ...fields, resourceMetadata, perPrincipal: toShares(fields, fields.perPrincipal, context) };
}

function toShares(
  inAll: Record<NumberField, number>,
  own: { readonly [Field in keyof typeof HTTP_SHARES]?: number | undefined },
  { hasPrincipals = false, limits = toLimitSettings() }: HttpContext,
): HttpSettings['perPrincipal'] {
  const toShare = (field: keyof typeof HTTP_SHARES, all: number) =>
    own[field] ?? (hasPrincipals ? Math.min(HTTP_SHARES[field], all) : all);
  const { sessions, subscriptions } = hasPrincipals ? limits.perPrincipal : limits.local;
  return {
    requests: toShare('requests', inAll.maxRequests),
    bytesInFlight: toShare('bytesInFlight', inAll.maxBytesInFlight),
    sessions: Math.min(sessions, inAll.maxSessions),
    subscriptions: Math.min(subscriptions, inAll.maxSubscriptions),
  };
}

/** Only names are compared; a host may be given with its port. */
function toHostName(name: string): string | undefined {
  return parseUrl(name.includes('://') ? name : `http://${name}`)?.hostname;
}

/** Normalizes an origin to the form of the header: scheme, host and port only. */
function toOrigin(text: string): string | undefined {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/\/([^/\s]+)\/?$/i.exec(text) ?? [];
  if (scheme === undefined || rest === undefined || rest.includes('*') || rest.includes('@')) return undefined;
  return /^https?$/i.test(scheme) ? parseUrl(text)?.origin : `${scheme.toLowerCase()}://${rest}`;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
