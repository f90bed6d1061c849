import { refusedField } from '../invalid-field.ts';

/**
 * Turns payloads into the texts that are kept, and back.
 *
 * `place` says where a text belongs: which task or call, and which of its fields. A codec that authenticates binds the
 * text to it, so that whoever can write the file cannot move a payload to another task.
 */
export interface PayloadCodec {
  encode(text: string, place: string): string | Promise<string>;
  /** Throws when the text was not made by `encode` for this place. */
  decode(text: string, place: string): string | Promise<string>;
  /**
   * By what equal texts are recognised without being told: keyed, newest key first.
   *
   * @default keyed with a file beside the store
   */
  mark?(text: string): readonly string[];
}

/** What is expected of a codec, in words. */
export const CODEC_EXPECTED = 'aesGcmCodec({ keys }) or { encode, decode }';

/** Whether something that an owner gave is a codec. */
export function isCodec(codec: unknown): codec is PayloadCodec {
  const { encode, decode, mark } = (codec ?? {}) as Partial<PayloadCodec>;
  const hasMark = mark === undefined || typeof mark === 'function';
  return typeof encode === 'function' && typeof decode === 'function' && hasMark;
}

/** Checks a codec that an owner gave. The message does not show it: it may hold keys. */
export function parseCodec(codec: unknown): PayloadCodec | undefined {
  if (codec === undefined || isCodec(codec)) return codec;
  throw refusedField({ field: 'codec', says: 'is no codec', expected: CODEC_EXPECTED });
}
