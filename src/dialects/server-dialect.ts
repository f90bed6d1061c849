/**
 * The server half of a dialect: which calls it answers and how, and what else it sends and serves.
 *
 * A server asks its dialects in the order of `table.ts`. A dialect omits what it does not need: only `name` is
 * required, and `answer` when it has `takes`.
 */
import type { z } from 'zod';
import type { Engine } from '../engine/engine.ts';
import type { Task } from '../task/record.ts';
import type {
  Caller,
  CheckedCall,
  ClientConnection,
  Era,
  IncomingCall,
  RpcResult,
  ServerPort,
  Submission,
  SubmissionAddition,
  ToldPoint,
  ToolCall,
  ToolView,
} from './server-port.ts';
import type { QuestionChannel } from './shared/questions/question-request.ts';

/**
 * How strongly a dialect claims a call. The first dialect that claims it as `asked` (the call or its client asked for
 * the dialect) answers; if there is none, the first that claims it by `default`.
 */
export type Claim = 'asked' | 'default';

/** The server half of a dialect: which calls it claims, and how it answers and follows them. */
export interface ServerDialect {
  readonly name: string;

  /** Whether it answers the call; throws when the call's own data for it is invalid. Runs for every call: keep it cheap. */
  takes?(call: ToolCall, port: ServerPort): Claim | undefined;
  /** Rejects a call that it claimed but cannot answer, before the call has any effect. */
  check?(call: ToolCall, port: ServerPort): void;
  /** Whether its client may get a question as the answer to its call; otherwise the running tool asks. @default true */
  readonly asksUpfront?: boolean;
  /** Whether a result that is available at once may answer a call whose tool may be a task. @default false */
  readonly answersAtOnce?: boolean;
  /** Answers a call whose tool may be a task. */
  answer?(call: CheckedCall, port: ServerPort): Promise<RpcResult>;
  /** Answers a call whose tool is never a task. @default its result, as formatted by `toDirectAnswer` */
  answerDirectly?(call: CheckedCall, port: ServerPort): Promise<RpcResult>;
  /** Formats a result that is available at once: of a tool that is never a task, or of rejected arguments. */
  toDirectAnswer?(result: RpcResult, call: ToolCall, port: ServerPort): RpcResult;

  /** Answers a call to none of the server's tools: to a tool that the dialect adds, or to resume a stream that was cut. */
  answerOwn?(call: IncomingCall, port: ServerPort): Promise<RpcResult> | undefined;
  /** Continues a call that it answered with a `requestState`; undefined when that state is not its own. */
  resume?(call: ToolCall, port: ServerPort): Promise<RpcResult | undefined>;
  /** What it adds to a task that is being written, in any dialect. */
  addToSubmission?(
    call: CheckedCall,
    submission: Submission,
    port: ServerPort,
  ): Promise<SubmissionAddition | undefined> | SubmissionAddition | undefined;

  /** Formats a tool for `tools/list`: one of the server's, or one that a dialect adds. */
  toListing?(listing: ToolListing, shown: ShownTool, port: ServerPort): ToolListing;
  /** Tools it adds to `tools/list`. */
  listOwnTools?(caller: Caller, port: ServerPort): readonly ToolListing[];

  /** Resources it adds to the server's own. */
  readonly resources?: ServedResources;

  /** JSON-RPC methods it serves, by name. */
  readonly methods?: { readonly [method: string]: ServedMethod };
  /** The part of `subscriptions/listen` (2026-07-28) that it serves. */
  readonly subscriptions?: ServedSubscriptions;

  /** Creates what notifies a client of its work for as long as its connection lasts; undefined where that is impossible. */
  createFollower?(connection: FollowedConnection, port: ServerPort): Follower | undefined;
}

/** A tool as `tools/list` shows it. */
export type ToolListing = { readonly name: string; readonly [key: string]: unknown };

/** A tool that is about to be listed, and the client it is listed for. */
export interface ShownTool {
  readonly caller: Caller;
  /** Absent for a tool that a dialect adds. */
  readonly tool?: ToolView;
}

/** Resources that a dialect adds, by URI. */
export interface ServedResources {
  /** As `resources/list` shows them. */
  list(caller: Caller, port: ServerPort): readonly ResourceListing[];
  /** Whether it serves this URI, for any caller. */
  has(uri: string): boolean;
  /** The contents of the resource, as `resources/read` returns them. */
  read(uri: string, caller: Caller, port: ServerPort): Promise<RpcResult>;
}

/** A resource as `resources/list` shows it. */
export type ResourceListing = { readonly uri: string; readonly name: string; readonly [key: string]: unknown };

/** A JSON-RPC method that a dialect serves. */
export interface ServedMethod {
  /** @default both */
  readonly era?: Era;
  /** What its parameters must be. @default any object */
  readonly params?: z.ZodObject;
  answer(request: MethodRequest, port: ServerPort): Promise<object | undefined>;
}

/** One request for a method that a dialect serves. */
export interface MethodRequest {
  readonly params: { readonly [key: string]: unknown };
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Answers to questions (2026-07-28), which the protocol sends next to the parameters. */
  readonly inputResponses: { readonly [key: string]: unknown };
  /** Asks the client on the connection of this request; undefined where the client cannot be asked. */
  readonly questions?: QuestionChannel | undefined;
  /** Records what the caller has been sent, where a stream that was cut can be resumed. */
  readonly mark?: (told: ToldPoint) => void;
}

/** Subscriptions that a dialect serves within `subscriptions/listen`. */
export interface ServedSubscriptions {
  /** Whether a listen request with these parameters asks for something that this dialect serves. */
  takes(params: unknown): boolean;
  /** Looks up what is requested; throws when it is not available. */
  open(request: SubscriptionRequest, port: ServerPort): Promise<Subscription>;
}

/** A request for notifications, for as long as it is open. */
export interface SubscriptionRequest {
  readonly id: string | number;
  readonly params: unknown;
  readonly principal: string;
}

/** Sends what `read` returns, if anything, one message after the other; resolves when the subscriber can receive more. */
export type SendRead = (read: () => Promise<object | undefined>) => void | Promise<void>;

/** One open subscription. */
export interface Subscription {
  /** Adds to the acknowledgement of the listen request what was accepted here. */
  acknowledge<T extends object>(acknowledgement: T): T;
  /** Sends notifications until everything has been sent, or until `close`. */
  run(send: SendRead): Promise<void>;
  close(): void;
}

/** The connection that a follower is created for. */
export interface FollowedConnection {
  readonly connection: ClientConnection;
  readonly engine: Engine;
  /** Called with the reason why something can no longer be followed. */
  report(error: unknown): void;
}

/** Notifies the client of a connection of the work that was started on it. */
export interface Follower {
  /** Follows the task of a call that is being answered. */
  follow(task: Task, details?: unknown): void;
  /** Resumes a task that the session started on an earlier stream or another server, if it belongs to this dialect. */
  resume?(task: Task): void;
  /** The tasks that may be resumed when the session's stream opens. @default the newest of the principal */
  listResumable?(): AsyncIterable<Task>;
  /** Stops sending notifications; the work continues. */
  close(): void;
}
