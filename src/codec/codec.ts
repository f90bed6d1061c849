import { refusedField } from '../invalid-field.ts';

/**
 * Encodes payloads into the texts that are stored, and decodes them.
 *
 * `place` identifies where a text belongs: which task or call, and which of its fields. A codec that authenticates binds the text
 * to its place, so that a person who can write the file cannot move a payload to another task.
 */
export interface PayloadCodec {
  encode(text: string, place: string): string | Promise<string>;
  /** Throws when the text was not made by `encode` for this place. */
  decode(text: string, place: string): string | Promise<string>;
  /**
   * Returns keyed fingerprints by which equal texts are recognised without decoding, newest key first.
   *
   * @default keyed with a file beside the store
   */
  mark?(text: string): readonly string[];
}

/** What a codec must be, for error messages. */
export const CODEC_EXPECTED = 'aesGcmCodec({ keys }) or { encode, decode }';

/** Whether a value given as an option is a codec. */
export function isCodec(codec: unknown): codec is PayloadCodec {
  const { encode, decode, mark } = (codec ?? {}) as Partial<PayloadCodec>;
  const hasMark = mark === undefined || typeof mark === 'function';
  return typeof encode === 'function' && typeof decode === 'function' && hasMark;
}

/** Checks a codec given as an option. The error does not show the value: it may contain keys. */
export function parseCodec(codec: unknown): PayloadCodec | undefined {
  if (codec === undefined || isCodec(codec)) return codec;
  throw refusedField({ field: 'codec', says: 'is no codec', expected: CODEC_EXPECTED });
}
