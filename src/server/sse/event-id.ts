/**
 * Ids of the events on the stream of a held call: sealed cursors.
 *
 * An id holds all that any process on the store needs to continue where the client stopped reading: the task, what the
 * client has been told of it, and the request it answers. It is valid for one session only.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

import type { EventPoint, Seal } from '../../dialects/server-port.ts';
import { MAX_EVENT_ID_LENGTH } from '../../limits.ts';
import { type Json, toFingerprint } from '../../task/json.ts';

/** The session that an event belongs to. */
export interface EventOwner {
  readonly principal: string;
  readonly sessionId: string;
}

const USE = 'event';

/** Creates an event id; returns undefined when it is too long for a header. @param unique not used for another event */
export function sealEvent(seal: Seal, point: EventPoint, on: EventOwner & { unique: string }): string | undefined {
  const content = { ...point, of: toOwner(on), unique: on.unique };
  const eventId = seal.seal(USE, content as unknown as Json);
  return eventId.length > MAX_EVENT_ID_LENGTH ? undefined : eventId;
}

/** Opens an event id; returns undefined when it is not ours, or of another session. */
export function openEvent(seal: Seal, eventId: string, owner: EventOwner): EventPoint | undefined {
  if (eventId.length > MAX_EVENT_ID_LENGTH) return undefined;
  const point = seal.open(USE, eventId) as (EventPoint & { readonly of?: string }) | undefined;
  return point?.of === toOwner(owner) ? point : undefined;
}

function toOwner({ principal, sessionId }: EventOwner): string {
  return toFingerprint([principal, sessionId]);
}
