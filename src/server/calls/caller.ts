import type { InputCapabilities } from '../../dialects/mcp-input.ts';
import type { FollowedRun } from '../../dialects/stream/follower.ts';
import type { QuestionChannel } from '../../dialects/tasks-2025/question-request.ts';
import type { LogLevel } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Task } from '../../task/record.ts';
import type { HeadlessMark } from '../clients/headless-clients.ts';
import type { EventPoint, ToldPoint } from '../sse/event-id.ts';
import type { AnswerFate } from './answer-fate.ts';

/** Which generation of the protocol a request speaks: sessions (up to 2025-11-25), or none (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** Who sent a request, as far as it tells. */
export interface Caller {
  readonly era: Era;
  readonly principal: string;
  /** It started this process, and may name what the process's owner may. */
  readonly isLocal: boolean;
  /** What the client calls itself; used for profiles, never for rights. */
  readonly client?: { readonly name: string; readonly version?: string };
  /** The revision of the protocol that its requests speak. */
  readonly protocolVersion?: string;
  /** It has asked `server/discover` on this connection; where that cannot be told, it has not. */
  readonly hasProbed?: boolean;
  readonly capabilities: InputCapabilities;
  /** The request declares the tasks extension of 2026-07-28. */
  readonly declaresTasks: boolean;
  /** It can be told something after its request was answered. */
  readonly acceptsNotifications: boolean;
  /** Names the connection for as long as it lasts; across replicas on HTTP. Legacy only. */
  readonly sessionId?: string;
  /** Where a request without a session comes from, if that is known. */
  readonly address?: string;
}

/** Why nobody waits for an answer any more. */
export type Gone = { readonly kind: 'cancelled'; readonly reason: string } | { readonly kind: 'gone' };

/** The open line of one request: how to reach its caller before it is answered. */
export interface RequestChannel {
  readonly progressToken?: string | number;
  notify(method: string, params: { readonly [key: string]: Json }): Promise<void>;
  /** Sends a line of log to a client that asked for this level. */
  log(level: LogLevel, data: Json): Promise<void>;
  /** How to ask the client on this line. Absent in the modern era, which has no requests of ours. */
  readonly questions?: QuestionChannel;
  /** Whether anybody sits before the client, as far as it has shown. */
  readonly headless: HeadlessMark;
  /** Keeps the caller informed about a task it was given, for as long as its connection lasts. Legacy only. */
  readonly follow?: (task: Task) => void;
  /** The same for a job; nothing happens where nothing can be told on the connection. */
  readonly followJob?: (task: Task) => void;
  /** The same for a run. */
  readonly followRun?: (run: FollowedRun) => void;
  /** Keeps what the caller has been told of its task; absent where a line that was cut cannot be resumed. */
  readonly mark?: (told: ToldPoint) => void;
  /** Calls back when the server is about to stop; absent where the line ends by itself then. */
  readonly onStop?: (listener: () => void) => () => void;
  /** What becomes of the answer that is about to be given. */
  followAnswer(): Promise<AnswerFate>;
  /** Calls back at most once, when the caller has cancelled the request or gone away. */
  onGone(listener: (gone: Gone) => void): () => void;
}

/** What a line of a tool's log looks like to a client. */
export function toLogData({ message, data }: { readonly message: string; readonly data?: Json }): Json {
  return data === undefined ? message : { message, data };
}

/** One `tools/call`. */
export interface IncomingCall {
  /** The JSON-RPC id of the request. */
  readonly id: string | number;
  readonly name: string;
  readonly args: unknown;
  readonly meta: { readonly [key: string]: unknown };
  /** The client asked for a 2025-11-25 task. */
  readonly task?: { readonly ttl?: number | null };
  /** Answers to an earlier `input_required` answer (2026-07-28). */
  readonly inputResponses?: { readonly [key: string]: unknown };
  readonly requestState?: string;
  /** It goes on with the answer to a call whose stream was cut. */
  readonly resumed?: EventPoint;
  readonly caller: Caller;
  readonly channel: RequestChannel;
}
