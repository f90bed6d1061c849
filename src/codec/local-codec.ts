import { randomBytes } from 'node:crypto';
import { type AesGcmCodec, aesGcmCodec } from './aes-gcm-codec.ts';
import { openLocalKey } from './local-key.ts';

/** A store or a ledger: its key lies in its directory; one without a directory lives in this process, and so does its key. */
interface Keeper {
  readonly directory?: string;
}

const codecs = new WeakMap<Keeper, AesGcmCodec>();

/** Gives a store whose processes share no directory the key that they have in common. */
export function keepLocalKey(keeper: Keeper, key: Uint8Array): void {
  codecs.set(keeper, aesGcmCodec({ keys: [{ id: 'local', key }] }));
}

/** Seals single values for a store or a ledger; its key is opened or made when it is first needed. */
export function findLocalCodec(keeper: Keeper): AesGcmCodec {
  let codec = codecs.get(keeper);
  if (!codec) {
    const key = keeper.directory === undefined ? randomBytes(32) : openLocalKey(keeper.directory);
    codec = aesGcmCodec({ keys: [{ id: 'local', key }] });
    codecs.set(keeper, codec);
  }
  return codec;
}
