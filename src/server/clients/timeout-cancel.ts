import type { Profile } from '../../dialects/server-port.ts';
import { MAX_REASON_LENGTH } from '../../limits.ts';

/** A reason that names a timeout comes from a timer, not from a person who wants the work to stop. */
const TIMEOUT = /time[d\s-]*out|deadline exceeded/i;

/** Whether a client that cancels for this reason only stopped waiting. */
export function isTimeoutCancel(reason: string, { leaveReasons = [] }: Profile): boolean {
  const text = reason.slice(0, MAX_REASON_LENGTH).toLowerCase();
  return TIMEOUT.test(text) || leaveReasons.some((known) => text.includes(known.toLowerCase()));
}
