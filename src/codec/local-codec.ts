import { randomBytes } from 'node:crypto';
import { type AesGcmCodec, aesGcmCodec } from './aes-gcm-codec.ts';
import { openLocalKey } from './local-key.ts';

/** A store or a ledger: its key is stored in its directory; without a directory, the key exists only in this process. */
interface Keeper {
  readonly directory?: string;
}

const codecs = new WeakMap<Keeper, AesGcmCodec>();

/** Sets the shared key of a store whose processes share no directory. */
export function keepLocalKey(keeper: Keeper, key: Uint8Array): void {
  codecs.set(keeper, aesGcmCodec({ keys: [{ id: 'local', key }] }));
}

/** Returns the codec that seals single values for a store or a ledger; its key is opened or created on first use. */
export function findLocalCodec(keeper: Keeper): AesGcmCodec {
  let codec = codecs.get(keeper);
  if (!codec) {
    const key = keeper.directory === undefined ? randomBytes(32) : openLocalKey(keeper.directory);
    codec = aesGcmCodec({ keys: [{ id: 'local', key }] });
    codecs.set(keeper, codec);
  }
  return codec;
}
