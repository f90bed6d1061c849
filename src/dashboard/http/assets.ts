/** The files of the page, as built. */
import { readFile } from 'node:fs/promises';
import { TaskError } from '../../errors.ts';
import { toAnswer } from './answers.ts';

const PLACE = new URL('../../web/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
// Their names contain a hash of their content.
const HASHED = /^assets\/[\w.-]+-[\w-]{8}\.(js|css)$/;
const NAME = /^(?:assets\/)?[\w-][\w.-]*\.(html|js|css|svg)$/;

/** Returns the page itself. */
export function readPage(): Promise<Response> {
  return readAsset('index.html');
}

/** Returns one file of the page, or a 404 response when it does not exist. */
export async function readAsset(name: string): Promise<Response> {
  const type = TYPES[NAME.exec(name)?.[1] ?? ''];
  const content = type === undefined ? undefined : await read(name);
  if (type === undefined || content === undefined)
    return toAnswer('not found\n', 404, { 'content-type': 'text/plain' });
  const isKept = HASHED.test(name);
  return toAnswer(content, 200, {
    'content-type': type,
    'cache-control': isKept ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
}

async function read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(new URL(name, PLACE)));
  } catch (cause) {
    if (name !== 'index.html') return undefined;
    throw new TaskError('INTERNAL', `the page is not in the package at ${PLACE.pathname}; build it again`, { cause });
  }
}
