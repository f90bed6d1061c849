/** Requests to this page's server. */

/** An error response of the server. */
class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Sends a GET request; the path is below `api/`. */
export function get<T>(path: string): Promise<T> {
  return ask<T>(path, { method: 'GET' });
}

/** Sends a POST request, for changes. */
export function post<T>(path: string, body: object = {}): Promise<T> {
  return ask<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(`./api/${path}`, { ...init, credentials: 'same-origin' });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text) as T;
  const { error } = parseFailure(text);
  throw new ApiError(error.code, error.message);
}

function parseFailure(text: string): { error: { code: string; message: string } } {
  try {
    return JSON.parse(text);
  } catch {
    return { error: { code: 'REFUSED', message: text.trim() } };
  }
}

export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
