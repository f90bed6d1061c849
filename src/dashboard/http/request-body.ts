import { TaskError } from '../../errors.ts';
import type { Json } from '../../index.ts';
import { isObject } from '../../is-object.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export type Body = { readonly [field: string]: Json };

/** Reads the JSON object in a request's body. */
export async function readBody(request: Request, maxBytes = MAX_BYTES): Promise<Body> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type))
    throw new TaskError('INVALID_ARGUMENT', `the content type is ${JSON.stringify(type)}; expected application/json`);
  const value = parse(await readText(request, maxBytes));
  if (isObject<Json>(value)) return value;
  throw new TaskError('INVALID_ARGUMENT', 'the body is no JSON object; expected one');
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new TaskError('INVALID_ARGUMENT', `the body is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TaskError('INVALID_ARGUMENT', 'the body is no JSON; expected an object', { cause });
  }
}
