import type { IncomingCall } from './caller.ts';
import { findShownProfile } from './profiles.ts';
import type { ServerParts } from './server-parts.ts';

/** How long the line of a call is held: until shortly before its client gives up, or for ever. */
export function toPatienceMs(parts: ServerParts, call: IncomingCall): number {
  const { line } = call;
  const { giveUpMs, progressResets } = findShownProfile(parts.profiles(), call);
  const { marginMs, heartbeatMs } = parts.settings;
  if (giveUpMs === null) return Number.POSITIVE_INFINITY;
  // One sign of life may be late.
  const resets = progressResets === true && line.progressToken !== undefined && heartbeatMs * 2 <= giveUpMs;
  if (resets) return Number.POSITIVE_INFINITY;
  // A margin that leaves nothing of a short time would hand over what is nearly done.
  return Math.max(giveUpMs - marginMs, giveUpMs / 2);
}
