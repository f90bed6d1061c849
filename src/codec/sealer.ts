/**
 * The stored form of payloads.
 *
 * A plain value is stored unchanged. Anything else is a text with a prefix that says what it is:
 *
 * - `hf:enc:…`    encoded by the owner's codec; contains the JSON of one of the other forms, or of a plain value
 * - `hf:part:…`   JSON in which single values are sealed as `hf:secret:…`, or stay in clear as `hf:open:…` when the
 *                 whole is encoded
 * - `hf:text:…`   a text of the user that happens to begin with one of these prefixes
 */
import { isTaskError, TaskError } from '../errors.ts';
import { type AesGcmCodec, readKeyId } from './aes-gcm-codec.ts';
import { chain, type MaybePromise } from './chain.ts';
import type { PayloadCodec } from './codec.ts';
import { MASK, mapSecrets, type SecretTree } from './secret-tree.ts';

const OURS = 'hf:';
const ENCODED = 'hf:enc:';
const PART = 'hf:part:';
const TEXT = 'hf:text:';
const SECRET = 'hf:secret:';
const OPEN = 'hf:open:';

/** What to do with sealed single values when a payload is opened. */
export type Secrets = 'mask' | 'reveal';

export interface SealerOptions {
  readonly codec?: PayloadCodec | undefined;
  /** Returns the codec that seals single values when there is no `codec`; called only when there are such values. */
  readonly local: () => AesGcmCodec;
  /** What to do with an encoded payload whose key is missing. @default an error */
  readonly unreadable?: 'throw' | 'show';
}

export class Sealer {
  readonly #codec: PayloadCodec | undefined;
  readonly #local: () => AesGcmCodec;
  readonly #isShowing: boolean;

  constructor({ codec, local, unreadable = 'throw' }: SealerOptions) {
    this.#codec = codec;
    this.#local = local;
    this.#isShowing = unreadable === 'show';
  }

  /** Returns the same sealer, but unreadable payloads are errors. */
  toStrict(): Sealer {
    return new Sealer({ codec: this.#codec, local: this.#local });
  }

  get hasCodec(): boolean {
    return this.#codec !== undefined;
  }

  /** Returns the stored form of a value, with the parts sealed that the tree marks. */
  seal(value: unknown, place: string, secret?: SecretTree): MaybePromise<unknown> {
    const inner = secret === undefined ? toEscaped(value) : this.#toPart(value, place, secret);
    return this.#encode(inner, place);
  }

  open(kept: unknown, place: string, secrets: Secrets = 'mask'): MaybePromise<unknown> {
    if (typeof kept !== 'string' || !kept.startsWith(OURS)) return kept;
    if (!kept.startsWith(ENCODED)) return this.#finish(kept, place, secrets);
    try {
      return chain(this.#decode(kept, place), (inner) => this.#finish(inner, place, secrets));
    } catch (error) {
      if (this.#isShowing && isTaskError(error, 'STORE_KEY_MISSING')) return toPlaceholder(kept);
      throw error;
    }
  }

  /** Encodes a payload with the current key; leaves it unchanged if it has that key already, and encodes it if it was plain. */
  recode(kept: unknown, place: string): MaybePromise<unknown> {
    if (typeof kept !== 'string' || !kept.startsWith(ENCODED)) return this.#encode(kept, place);
    if ((this.#codec as Partial<AesGcmCodec>)?.isCurrent?.(kept.slice(ENCODED.length))) return kept;
    return chain(this.#decode(kept, place), (inner) => this.#encode(inner, place));
  }

  /** Returns fingerprints by which equal values are recognised; only the first is stored. */
  mark(text: string): readonly string[] {
    return this.#codec?.mark?.(text) ?? this.#local().mark(text);
  }

  #encode(inner: unknown, place: string): MaybePromise<unknown> {
    if (!this.#codec) return inner;
    return chain(this.#codec.encode(JSON.stringify(inner), place), (text) => ENCODED + text);
  }

  #decode(kept: string, place: string): MaybePromise<unknown> {
    if (!this.#codec) throw keyMissingError(kept);
    try {
      const text = this.#codec.decode(kept.slice(ENCODED.length), place);
      return text instanceof Promise ? text.then(JSON.parse, (error) => fail(error, place)) : JSON.parse(text);
    } catch (error) {
      return fail(error, place);
    }
  }

  #toPart(value: unknown, place: string, tree: SecretTree): string {
    const hide = (secret: unknown) => {
      const text = JSON.stringify(secret);
      return this.#codec ? OPEN + text : SECRET + this.#local().encode(text, toSecretPlace(place));
    };
    return PART + JSON.stringify(mapSecrets(value, tree, { hide, keep: (text) => toEscaped(text) as string }));
  }

  #finish(inner: unknown, place: string, secrets: Secrets): unknown {
    if (typeof inner !== 'string') return inner;
    if (inner.startsWith(TEXT)) return inner.slice(TEXT.length);
    if (!inner.startsWith(PART)) return inner;
    return this.#openPart(JSON.parse(inner.slice(PART.length)), place, secrets);
  }

  #openPart(value: unknown, place: string, secrets: Secrets): unknown {
    if (typeof value === 'string') return this.#openText(value, place, secrets);
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((one) => this.#openPart(one, place, secrets));
    const members = Object.entries(value).map(([key, one]) => [key, this.#openPart(one, place, secrets)]);
    return Object.fromEntries(members);
  }

  #openText(text: string, place: string, secrets: Secrets): unknown {
    if (!text.startsWith(OURS)) return text;
    if (text.startsWith(TEXT)) return text.slice(TEXT.length);
    if (secrets === 'mask') return MASK;
    if (text.startsWith(OPEN)) return JSON.parse(text.slice(OPEN.length));
    return JSON.parse(this.#local().decode(text.slice(SECRET.length), toSecretPlace(place)));
  }
}

/** Whether a text is the stored form of a value, and not the value itself. */
export function isSealed(kept: string): boolean {
  return kept.startsWith(OURS);
}

export function isEncoded(kept: unknown): boolean {
  return typeof kept === 'string' && kept.startsWith(ENCODED);
}

function toPlaceholder(kept: string): string {
  const id = readKeyId(kept.slice(ENCODED.length));
  return id === undefined ? '(encoded)' : `(encoded, key ${id})`;
}

function toEscaped(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(OURS) ? TEXT + value : value;
}

function toSecretPlace(place: string): string {
  return `${place}\nsecret`;
}

function keyMissingError(kept: string): TaskError {
  const id = readKeyId(kept.slice(ENCODED.length));
  const key = id === undefined ? 'its key' : `key ${id}`;
  const message = `a payload is encoded and there is no codec to read it; open the store with a codec that has ${key}`;
  return new TaskError('STORE_KEY_MISSING', message, id === undefined ? {} : { data: { keyId: id } });
}

/** Wraps the error of a custom codec, which may throw anything. */
function fail(error: unknown, place: string): never {
  if (isTaskError(error)) throw error;
  const what = place.split('\n').slice(0, 2).join(' ');
  throw new TaskError('STORE_KEY_WRONG', `the codec cannot decode a payload of ${what}`, { cause: error });
}
