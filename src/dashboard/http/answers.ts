/** Responses of the dashboard. The CSP of each allows the browser to load and run only our own files. */
import { toTaskError } from '../../index.ts';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  'media-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const GUARD = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

type Headers = Readonly<Record<string, string>>;

export function toAnswer(body: ConstructorParameters<typeof Response>[0], status: number, headers: Headers): Response {
  return new Response(body, { status, headers: { ...GUARD, 'cache-control': 'no-store', ...headers } });
}

export function toJsonAnswer(value: unknown, status = 200): Response {
  return toAnswer(JSON.stringify(value), status, { 'content-type': 'application/json; charset=utf-8' });
}

export function toTextAnswer(text: string, status: number): Response {
  return toAnswer(`${text}\n`, status, { 'content-type': 'text/plain; charset=utf-8' });
}

/** Returns an error response with its code; details of internal errors are not revealed. */
export function toFailure(error: unknown): Response {
  const { code, message, traits, data } = toTaskError(error);
  return toJsonAnswer({ error: { code, message, ...(data && { data }) } }, traits.http);
}
