/**
 * Measures a JSON text before it is parsed.
 *
 * For a text made of members, parsing costs far more than scanning: a sender of a million of them must not get that
 * time.
 */
import { findTextEnd } from '../../dialects/shared/bytes/text-end.ts';
import { MAX_MESSAGE_LEVELS, MAX_MESSAGE_MEMBERS, MAX_MESSAGE_VALUES } from '../../limits.ts';
import { onlyFields, whole } from '../../options/option-schemas.ts';
import type { OptionsShape } from '../../options/options-parser.ts';

/** How much one client message may hold; larger ones are refused with -32600. */
export interface MessageLimits {
  /** Members of all its objects together; protects the event loop: each costs up to 10 µs. @default 20_000 */
  readonly members?: number;
  /** Members and list elements together; protects the event loop: each costs up to 0.5 µs. @default 100_000 */
  readonly values?: number;
}

export type FrameLimits = Readonly<Required<MessageLimits>>;

export const DEFAULT_FRAME_LIMITS: FrameLimits = { members: MAX_MESSAGE_MEMBERS, values: MAX_MESSAGE_VALUES };

/** The schema of the owner's limits, with defaults for missing ones. */
export function messageLimitsSchema() {
  return onlyFields({
    members: whole(1).default(MAX_MESSAGE_MEMBERS),
    values: whole(1).default(MAX_MESSAGE_VALUES),
  } satisfies OptionsShape<MessageLimits>);
}

/** Returns which limit a JSON text exceeds; undefined when it may be parsed. Strings within it are skipped. */
export function findShapeViolation(text: string, limits: FrameLimits): string | undefined {
  let [level, members, values] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = findTextEnd(text, at);
        break;
      case 0x2c: // ,
        if (++values > limits.values) return toViolation('values', limits.values);
        break;
      case 0x3a: // :
        if (++members > limits.members) return toViolation('members', limits.members);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++level > MAX_MESSAGE_LEVELS) return `a message may go ${MAX_MESSAGE_LEVELS} levels deep at most`;
        if (++values > limits.values) return toViolation('values', limits.values);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level--;
        break;
    }
  }
  return undefined;
}

function toViolation(what: keyof FrameLimits, most: number): string {
  return `a message may have ${most} ${what} at most; the owner of the server sets messageLimits.${what}`;
}
