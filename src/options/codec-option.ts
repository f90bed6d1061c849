/** What engines and hosts, and the tools of both, say about payloads at rest. */
import type { z } from 'zod';
import { CODEC_EXPECTED, isCodec, type PayloadCodec } from '../codec/codec.ts';
import { areRedactionRules, REDACTION_EXPECTED } from '../codec/redaction.ts';
import { hidden, value } from './option-schemas.ts';

/** A codec, which is not shown: it may hold keys. */
export function codecOption(): z.ZodType<PayloadCodec> {
  return hidden(CODEC_EXPECTED, isCodec, 'is no codec');
}

/** Names of fields and JSON pointers. */
export function redactOption(): z.ZodType<readonly string[]> {
  return value(REDACTION_EXPECTED, areRedactionRules);
}
