import type { IncomingCall } from '../../dialects/server-port.ts';
import type { ServerCore } from '../server-parts.ts';
import { findShownProfile } from './profiles.ts';

/**
 * How long a call is held: until shortly before its client times out, or for ever. `turn` is the number of answers that
 * its caller has received in time so far.
 */
export function handOverAfterMs(
  parts: Pick<ServerCore, 'profiles' | 'settings'>,
  call: IncomingCall,
  turn = 0,
): number {
  const { channel } = call;
  const { giveUpMs, progressResets } = findShownProfile(parts.profiles(), call);
  const { marginMs, progressEveryMs } = parts.settings;
  if (giveUpMs === null) return Number.POSITIVE_INFINITY;
  // One progress notification may be late.
  const resets = progressResets === true && channel.progressToken !== undefined && progressEveryMs * 2 <= giveUpMs;
  if (resets) return Number.POSITIVE_INFINITY;
  // With a short timeout the full margin would hand over calls that are almost done.
  return giveUpMs - toMarginMs(Math.min(marginMs, giveUpMs / 2), turn);
}

const MIN_MARGIN_MS = 2000;

/** Each answer received in time halves the margin of the next wait, down to a quarter and to what a slow machine needs. */
function toMarginMs(first: number, turn: number): number {
  return Math.max(Math.min(first, MIN_MARGIN_MS), first / 4, first / 2 ** turn);
}
