import { type AesGcmCodec, aesGcmCodec } from '../../codec/aes-gcm-codec.ts';
import { readKeyFile } from '../../codec/key-file.ts';
import type { StoreValues } from '../command-line/shared-options.ts';

/** The codec with the keys that the command line or the environment names; undefined if neither names any. */
export function readCodec(
  values: Pick<StoreValues, 'key-file'>,
  env: NodeJS.ProcessEnv = process.env,
): AesGcmCodec | undefined {
  const path = values['key-file'] ?? env.HOLDFAST_KEY_FILE;
  return path ? aesGcmCodec({ keys: readKeyFile(path) }) : undefined;
}
