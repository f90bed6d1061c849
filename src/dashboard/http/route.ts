import type { Principal } from '../../index.ts';
import type { Body } from './request-body.ts';

/** What a route is asked with. */
export interface Asked {
  /** What stands in the places of `:name` in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for reads. */
  readonly body: Body;
  /** Who asks. */
  readonly principal: Principal;
  readonly request: Request;
}

/** One thing that can be asked of the dashboard. What `handle` gives is the answer: a response, or a value for JSON. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** As in `/api/tasks/:taskId`. */
  readonly path: string;
  handle(asked: Asked): Promise<unknown> | unknown;
}

/** The values of a path's places; nothing when it is another path. */
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
