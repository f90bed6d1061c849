import type { Principal } from '../../index.ts';
import type { Body } from './request-body.ts';

/** The parts of a request that a route gets. */
export interface RouteRequest {
  /** The values of the `:name` segments of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for reads. */
  readonly body: Body;
  /** The principal of the request. */
  readonly principal: Principal;
  readonly request: Request;
}

/** One endpoint of the dashboard. `handle` returns the answer: a response, or a value to send as JSON. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path pattern, as in `/api/tasks/:taskId`. */
  readonly path: string;
  handle(request: RouteRequest): Promise<unknown> | unknown;
}

/** Returns the parameters of a matching path; undefined when it does not match. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, word] of wanted.entries()) {
    const part = given[at] ?? '';
    if (!word.startsWith(':')) {
      if (word !== part) return undefined;
      continue;
    }
    const text = decode(part);
    if (text === undefined || text === '') return undefined;
    params[word.slice(1)] = text;
  }
  return params;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
