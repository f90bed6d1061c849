import { randomBytes } from 'node:crypto';
import { type AesGcmCodec, aesGcmCodec } from './aes-gcm-codec.ts';
import { openLocalKey } from './local-key.ts';

/** A store or a ledger: its key is stored in its directory; without a directory, the key exists only in this process. */
interface KeyOwner {
  readonly directory?: string;
}

const codecs = new WeakMap<KeyOwner, AesGcmCodec>();

/** Sets the shared key of a store whose processes share no directory. */
export function setLocalKey(owner: KeyOwner, key: Uint8Array): void {
  codecs.set(owner, aesGcmCodec({ keys: [{ id: 'local', key }] }));
}

/** Returns the codec that seals single values for a store or a ledger; its key is opened or created on first use. */
export function findLocalCodec(owner: KeyOwner): AesGcmCodec {
  let codec = codecs.get(owner);
  if (!codec) {
    const key = owner.directory === undefined ? randomBytes(32) : openLocalKey(owner.directory);
    codec = aesGcmCodec({ keys: [{ id: 'local', key }] });
    codecs.set(owner, codec);
  }
  return codec;
}
