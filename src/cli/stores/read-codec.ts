import { type AesGcmCodec, aesGcmCodec } from '../../codec/aes-gcm-codec.ts';
import { readKeyFile } from '../../codec/key-file.ts';
import type { OptionValues } from '../command-line/options.ts';

/** The codec with the keys that a command line or the environment names; none when neither does. */
export function readCodec(values: OptionValues, env: NodeJS.ProcessEnv = process.env): AesGcmCodec | undefined {
  const path = values['key-file'] ?? env.HOLDFAST_KEY_FILE;
  return path ? aesGcmCodec({ keys: readKeyFile(path) }) : undefined;
}
