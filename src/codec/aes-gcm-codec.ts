/**
 * Encrypts each payload with AES-256-GCM.
 *
 * An encrypted text is `1.<key id>.<nonce, ciphertext and tag in base64url>`. The header and the place are authenticated with it.
 * Nonces are 96 random bits, so one key is safe for 2^32 payloads; switch to a new key long before that.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { TaskError } from '../errors.ts';
import { refusedField } from '../invalid-field.ts';
import type { PayloadCodec } from './codec.ts';
import { CodecTextCache } from './codec-text-cache.ts';

/** A named key: 32 random bytes, raw or in hex or base64. */
export interface CodecKey {
  /** 1 to 64 of A–Z, a–z, 0–9, _ and -; stored in clear beside each payload. */
  readonly id: string;
  readonly key: Uint8Array | string;
}

/** Options of `aesGcmCodec`. */
export interface AesGcmCodecOptions {
  /** The first key encrypts, all keys decrypt. */
  readonly keys: readonly CodecKey[];
}

/** A codec that encrypts each payload with AES-256-GCM, synchronously. */
export interface AesGcmCodec extends PayloadCodec {
  encode(text: string, place: string): string;
  decode(text: string, place: string): string;
  mark(text: string): readonly string[];
  /** Whether a text was encrypted with the current (first) key. */
  isCurrent(text: string): boolean;
}

const VERSION = '1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

interface Key {
  readonly id: string;
  /** The prefix of every text encrypted with this key. */
  readonly header: string;
  readonly cipher: KeyObject;
  readonly mac: KeyObject;
}

/** Creates a codec from your own keys. */
export function aesGcmCodec(options: AesGcmCodecOptions): AesGcmCodec {
  const keys = parseKeys(options?.keys);
  const current = keys[0] as Key;
  const byId = new Map(keys.map((key) => [key.id, key]));
  const opened = new CodecTextCache();
  return {
    encode(text, place) {
      const kept = encrypt(current, text, place);
      opened.add(kept, place, text);
      return kept;
    },
    decode(kept, place) {
      const known = opened.find(kept, place);
      if (known !== undefined) return known;
      const text = decrypt(findKey(byId, kept), kept, place);
      opened.add(kept, place, text);
      return text;
    },
    mark: (text) => keys.map(({ mac }) => createHmac('sha256', mac).update(text).digest('base64url')),
    isCurrent: (kept) => kept.startsWith(current.header),
  };
}

/** Returns the id of the key that a text was encrypted with; `undefined` when the text has another format. */
export function readKeyId(kept: string): string | undefined {
  return /^1\.([\w-]{1,64})\./.exec(kept)?.[1];
}

/** Returns 32 bytes from raw, hex or base64 form; `undefined` for anything else. */
export function toKeyBytes(key: unknown): Uint8Array | undefined {
  const bytes = typeof key === 'string' ? fromText(key.trim()) : key;
  return bytes instanceof Uint8Array && bytes.length === KEY_BYTES ? bytes : undefined;
}

function fromText(text: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function parseKeys(given: unknown): Key[] {
  if (!Array.isArray(given) || given.length === 0) throw keyError('keys', 'a list of at least one { id, key }');
  const keys = given.map((one, place) => parseKey(one, `keys[${place}]`));
  const twice = keys.find(({ id }, place) => keys.findIndex((other) => other.id === id) !== place);
  if (twice) throw keyError(`keys with the id ${JSON.stringify(twice.id)}`, 'an id used once');
  return keys;
}

// Error messages never show the key: an invalid one may still be most of a valid key.
function parseKey(given: unknown, field: string): Key {
  const { id, key } = (given ?? {}) as Partial<CodecKey>;
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) {
    throw keyError(`${field}.id`, '1 to 64 of A–Z, a–z, 0–9, _ and -');
  }
  const bytes = toKeyBytes(key);
  if (!bytes) throw keyError(`${field}.key`, '32 bytes, or their hex or base64');
  const derive = (use: string) => createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', use, KEY_BYTES)));
  return { id, header: `${VERSION}.${id}.`, cipher: derive('holdfast payload'), mac: derive('holdfast mark') };
}

function findKey(byId: ReadonlyMap<string, Key>, kept: string): Key {
  const id = readKeyId(kept);
  const key = id === undefined ? undefined : byId.get(id);
  if (key) return key;
  const what = id === undefined ? 'by another codec' : `with key ${id}`;
  const message = `a payload is encoded ${what}, and this codec has ${[...byId.keys()].join(', ')}; add the key to read it`;
  throw new TaskError('STORE_KEY_MISSING', message, id === undefined ? {} : { data: { keyId: id } });
}

function encrypt({ header, cipher: key }: Key, text: string, place: string): string {
  const nonce = takeNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(header + place));
  const body = cipher.update(text, 'utf8');
  cipher.final();
  return header + Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
}

function decrypt({ id, header, cipher: key }: Key, kept: string, place: string): string {
  const bytes = Buffer.from(kept.slice(header.length), 'base64url');
  const end = bytes.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(header + place));
    decipher.setAuthTag(bytes.subarray(end));
    const text = decipher.update(bytes.subarray(NONCE_BYTES, end));
    decipher.final();
    return text.toString('utf8');
  } catch (cause) {
    const what = place.split('\n').slice(0, 2).join(' ');
    const message = `key ${id} does not open a payload of ${what}: it is another key of that name, or the payload was changed or moved`;
    throw new TaskError('STORE_KEY_WRONG', message, { cause, data: { keyId: id } });
  }
}

function keyError(field: string, expected: string): TaskError {
  return refusedField({ of: 'aesGcmCodec', field, says: 'cannot be used', expected });
}

// Draws random bytes for many nonces at once: one system call per nonce costs more than the nonce itself.
let pool = Buffer.alloc(0);
let used = 0;

function takeNonce(): Buffer {
  if (used + NONCE_BYTES > pool.length) {
    pool = randomBytes(256 * NONCE_BYTES);
    used = 0;
  }
  used += NONCE_BYTES;
  return pool.subarray(used - NONCE_BYTES, used);
}
