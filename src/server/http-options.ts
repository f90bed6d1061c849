import { TaskError } from '../errors.ts';

export interface HttpOptions {
  /** Host names a request may be addressed to; guards against DNS rebinding. @default those of this machine */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may send requests. @default those of this machine */
  readonly allowedOrigins?: readonly string[];
  /** A larger request is refused, so that no peer can fill the memory. @default 4_194_304 */
  readonly maxBodyBytes?: number;
  /** How many `subscriptions/listen` streams may be open. @default 1024 */
  readonly maxSubscriptions?: number;
  /** How long an answer may take before an event stream is opened to keep its client waiting. @default 5000 */
  readonly firstCommentMs?: number;
  /** How long an event stream may be silent. @default 10_000 */
  readonly commentEveryMs?: number;
  /** How long a session without open requests stays in memory; a later request takes it up again. @default 300_000 */
  readonly sessionIdleMs?: number;
}

export type HttpSettings = Readonly<Required<HttpOptions>>;

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

export function parseHttpOptions(options: HttpOptions = {}): HttpSettings {
  const { allowedHosts, allowedOrigins } = options;
  return {
    allowedHosts: allowedHosts ? parseNames('allowedHosts', allowedHosts) : THIS_MACHINE,
    allowedOrigins: allowedOrigins ? parseNames('allowedOrigins', allowedOrigins) : THIS_MACHINE,
    maxBodyBytes: parseWhole('maxBodyBytes', options.maxBodyBytes, 4 * 1024 * 1024),
    maxSubscriptions: parseWhole('maxSubscriptions', options.maxSubscriptions, 1024),
    firstCommentMs: parseWhole('firstCommentMs', options.firstCommentMs, 5000),
    commentEveryMs: parseWhole('commentEveryMs', options.commentEveryMs, 10_000),
    sessionIdleMs: parseWhole('sessionIdleMs', options.sessionIdleMs, 300_000),
  };
}

function parseWhole(field: string, value: unknown, standard: number): number {
  if (value === undefined) return standard;
  if (Number.isInteger(value) && (value as number) > 0) return value as number;
  throw new TaskError('INVALID_ARGUMENT', `http.${field} is ${String(value)}; legal is a whole number from 1 up`);
}

/** Names alone are compared: an origin may be given whole, and a host with its port. */
function parseNames(field: string, names: readonly string[]): string[] {
  if (!Array.isArray(names)) throw invalidName(field, names);
  return names.map((name) => {
    try {
      return new URL(name.includes('://') ? name : `http://${name}`).hostname;
    } catch {
      throw invalidName(field, name);
    }
  });
}

function invalidName(field: string, value: unknown): TaskError {
  return new TaskError('INVALID_ARGUMENT', `http.${field} holds ${JSON.stringify(value)}; legal are host names`);
}
