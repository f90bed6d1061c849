/**
 * Paths as the file system stores them.
 *
 * A name may contain any bytes but `/` and NUL. Most are UTF-8 and kept as text; the others stay bytes, because a text could not
 * be converted back to them.
 */

/** A path, or one name of it. */
export type RawPath = string | Buffer;

const SLASH = Buffer.from('/');

/** The path of a name in a directory. */
export function joinPath(dir: RawPath, name: RawPath): RawPath {
  if (typeof dir === 'string' && typeof name === 'string') return dir.endsWith('/') ? dir + name : `${dir}/${name}`;
  const head = Buffer.from(dir);
  return Buffer.concat(head.at(-1) === SLASH[0] ? [head, Buffer.from(name)] : [head, SLASH, Buffer.from(name)]);
}

/** For people and patterns: bytes that are not UTF-8 are shown as `\xff`. */
export function toPathText(path: RawPath): string {
  if (typeof path === 'string') return path;
  const text = path.toString('utf8');
  if (Buffer.from(text).equals(path)) return text;
  return path.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** Returns text where the bytes are UTF-8, so that each name has only one form. */
export function toRawPath(bytes: Uint8Array): RawPath {
  const text = Buffer.from(bytes).toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : Buffer.from(bytes);
}

/** The names of an absolute path, from the root down. */
export function toNames(path: RawPath): RawPath[] {
  if (typeof path === 'string') return path.split('/').filter((name) => name !== '');
  const names = path.toString('latin1').split('/');
  return names.filter((name) => name !== '').map((name) => toRawPath(Buffer.from(name, 'latin1')));
}

/** Restores a path received from another thread, where a Buffer arrives as a plain byte array. */
export function fromThread(path: RawPath): RawPath {
  return typeof path === 'string' ? path : Buffer.from(path);
}
