/**
 * Ids of the events on the stream of a held call: sealed cursors.
 *
 * An id says all that any process on the store needs to go on where the client stopped reading: which task, what has
 * been told of it, and whose request it answers. It is good for one session only.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import type { Joining } from '../../dialects/inline/joined.ts';
import { MAX_EVENT_ID_LENGTH } from '../../limits.ts';
import { type Json, toFingerprint } from '../../task/json.ts';
import type { Seal } from '../secrets/seal.ts';

/** What a client has been told of the task that its call waits for. */
export interface ToldPoint {
  readonly taskId: string;
  /** The tool that was called. */
  readonly tool: string;
  /** What happened up to here has been told. */
  readonly seq: number;
  /** When the call came, epoch ms: its client counts its patience from then. */
  readonly startedAt: number;
  readonly progressToken?: string | number;
  /** Finds the hold of the task, whoever has it. */
  readonly holdKey?: string;
  readonly isKnown?: boolean;
  /** It is the task of an earlier call, and its result says so. */
  readonly joined?: Joining;
  /** How many hand-overs the client had read when it called. */
  readonly turn?: number;
  readonly waitMs?: number;
  /** It was asked for by `tasks/result`, with these parameters. */
  readonly result?: { readonly wait?: boolean };
}

/** Where a stream stands after one of its events. */
export interface EventPoint extends ToldPoint {
  readonly requestId: string | number;
  /** The last progress that was told. */
  readonly progress?: number;
  /** Requests of ours that the client has received. */
  readonly asked?: readonly string[];
  /** The request has been answered: nothing follows. */
  readonly isEnd?: boolean;
}

/** The session that an event belongs to. */
export interface EventOwner {
  readonly principal: string;
  readonly sessionId: string;
}

const USE = 'event';

/** @param unique not used for another event; nothing is returned for what is too long to come back in a header */
export function sealEvent(seal: Seal, point: EventPoint, on: EventOwner & { unique: string }): string | undefined {
  const content = { ...point, of: toOwner(on), unique: on.unique };
  const eventId = seal.seal(USE, content as unknown as Json);
  return eventId.length > MAX_EVENT_ID_LENGTH ? undefined : eventId;
}

/** What the id says; nothing when it is not ours, or of another session. */
export function openEvent(seal: Seal, eventId: string, owner: EventOwner): EventPoint | undefined {
  if (eventId.length > MAX_EVENT_ID_LENGTH) return undefined;
  const point = seal.open(USE, eventId) as (EventPoint & { readonly of?: string }) | undefined;
  return point?.of === toOwner(owner) ? point : undefined;
}

function toOwner({ principal, sessionId }: EventOwner): string {
  return toFingerprint([principal, sessionId]);
}
