/** The options about payloads at rest, shared by engines, hosts and the tools of both. */
import type { z } from 'zod';
import { CODEC_EXPECTED, isCodec, type PayloadCodec } from '../codec/codec.ts';
import { areRedactionRules, REDACTION_EXPECTED } from '../codec/redaction.ts';
import { hidden, value } from './option-schemas.ts';

/** A codec; errors do not show it, because it may contain keys. */
export function codecOption(): z.ZodType<PayloadCodec> {
  return hidden(CODEC_EXPECTED, isCodec, 'is no codec');
}

/** Names of fields and JSON pointers. */
export function redactOption(): z.ZodType<readonly string[]> {
  return value(REDACTION_EXPECTED, areRedactionRules);
}
