import { TaskError } from '../errors.ts';

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

/** Checks a codec that an owner gave. */
export function parseCodec(codec: unknown): PayloadCodec | undefined {
  if (codec === undefined) return undefined;
  const given = (codec ?? {}) as Partial<PayloadCodec>;
  const isCodec = typeof given.encode === 'function' && typeof given.decode === 'function';
  if (isCodec && (given.mark === undefined || typeof given.mark === 'function')) return codec as PayloadCodec;
  throw new TaskError('INVALID_ARGUMENT', 'codec is no codec; expected aesGcmCodec({ keys }) or { encode, decode }');
}
