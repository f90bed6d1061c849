import { z } from 'zod';
import { type LimitSettings, toLimitSettings } from '../engine/limit-options.ts';
import { HTTP_DEFAULTS, HTTP_SHARES } from '../limits.ts';
import { onlyFields, value, whole } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';

/** Limits and pace of HTTP. */
export interface HttpOptions {
  /** Host names a request may be addressed to; guards against DNS rebinding. @default those of this machine */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins whose pages may send requests, as browsers name them: `https://app.example:8443`. Pages of the server's own
   * host and port always may. Guards against whatever else a browser on this machine has open.
   *
   * @default none
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Where clients learn how to get a token (RFC 9728); told to those who are refused with 401. An absolute URL.
   *
   * @default none
   */
  readonly resourceMetadata?: string;
  /** A larger request is refused, so that no peer can fill the memory. @default 4_194_304 */
  readonly maxBodyBytes?: number;
  /** How many bytes of bodies may be read at the same time; more are refused with 503. @default 67_108_864 */
  readonly maxBytesInFlight?: number;
  /** How many sockets `listen` keeps open; others are closed at once. @default 8192 */
  readonly maxConnections?: number;
  /** How many requests may wait for their answer or have an open stream; more are refused with 503. @default 4096 */
  readonly maxRequests?: number;
  /** How many sessions are kept in memory; when all are in use, new ones are refused with 503. @default 10_000 */
  readonly maxSessions?: number;
  /** How many `subscriptions/listen` streams may be open. @default 1024 */
  readonly maxSubscriptions?: number;
  /**
   * What one principal may use of these; more is refused with 429. Sessions and subscriptions of a principal are
   * `limits.perPrincipal` of the server.
   */
  readonly perPrincipal?: {
    /** @default 512 with `verify`; without it there is one principal, who may use all */
    readonly requests?: number;
    /** @default 16_777_216 with `verify` */
    readonly bytesInFlight?: number;
  };
  /** How long `listen` waits for the headers of a request, so that nobody holds connections for nothing. @default 15_000 */
  readonly headersTimeoutMs?: number;
  /** How long `listen` waits for a whole request. @default 60_000 */
  readonly requestTimeoutMs?: number;
  /** How long an answer may take before an event stream is opened to keep its client waiting. @default 5000 */
  readonly firstCommentMs?: number;
  /** How long an event stream may be silent. @default 10_000 */
  readonly keepAliveMs?: number;
  /**
   * How long a client waits before it resumes the stream of a call that was cut, told to it in ms; twice that when the
   * server stops. Clients that try but twice must find a server by then. @default 2000
   */
  readonly retryMs?: number;
  /** How long a session without open requests stays in memory; a later request takes it up again. @default 300_000 */
  readonly sessionIdleMs?: number;
  /** How long a session may be without a request before it is over. @default 86_400_000 (a day) */
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

/** What else decides about the limits. */
export interface HttpContext {
  /** `verify` tells principals apart; otherwise there is one. */
  readonly hasPrincipals?: boolean;
  readonly limits?: LimitSettings;
}

/** A URL as the parser writes it: there is no character in it that could end the quoted text it is sent in. */
function metadataSchema() {
  const isUrl = (url: unknown) => typeof url === 'string' && /^https?:$/.test(parseUrl(url)?.protocol ?? '');
  return value<string>('an absolute URL that begins with https:// or http://', isUrl).transform(
    (url) => new URL(url).href,
  );
}

/** A list of what can be brought into one form. */
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

/** Names alone are compared; a host may be given with its port. */
function toHostName(name: string): string | undefined {
  return parseUrl(name.includes('://') ? name : `http://${name}`)?.hostname;
}

/** As browsers write it in the header: scheme, host and port, nothing else. */
function toOrigin(text: string): string | undefined {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/\/([^/\s]+)\/?$/i.exec(text) ?? [];
  if (scheme === undefined || rest === undefined || rest.includes('*') || rest.includes('@')) return undefined;
  return /^https?$/i.test(scheme) ? parseUrl(text)?.origin : `${scheme.toLowerCase()}://${rest}`;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
