/**
 * The server's half of a dialect: which calls it answers and how, and what else it says and serves.
 *
 * A server asks its dialects in the order of `table.ts`. Each may leave out what it does not need; `name` alone is
 * required, and with `takes` also `answer`.
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
 * How much a dialect wants a call. The first dialect that was `asked` for, by the call or its client, answers; where
 * none was, the first that would by `default`.
 */
export type Claim = 'asked' | 'default';

/** The server half of a dialect: which calls it takes, and how it answers and follows them. */
export interface ServerDialect {
  readonly name: string;

  /** Whether it answers the call; throws when what the call says of it is wrong. Asked for every call: keep it cheap. */
  takes?(call: ToolCall, port: ServerPort): Claim | undefined;
  /** Refuses a call that it took and cannot answer, before anything is made of it. */
  check?(call: ToolCall, port: ServerPort): void;
  /** Whether its client may be asked something in place of the answer; else the work asks. @default true */
  readonly asksUpfront?: boolean;
  /** Whether a result that is there at once may be the answer to a call whose tool may be a task. @default false */
  readonly answersAtOnce?: boolean;
  /** Answers a call whose tool may be a task. */
  answer?(call: CheckedCall, port: ServerPort): Promise<RpcResult>;
  /** Answers a call whose tool is never a task. @default its result, as `toDirectAnswer` shows it */
  answerDirectly?(call: CheckedCall, port: ServerPort): Promise<RpcResult>;
  /** How a result looks that is there at once: of a tool that is never a task, or of arguments that are refused. */
  toDirectAnswer?(result: RpcResult, call: ToolCall, port: ServerPort): RpcResult;

  /** Answers a call that is none of the server's tools: of a tool it adds, or to go on with a stream that was cut. */
  answerOwn?(call: IncomingCall, port: ServerPort): Promise<RpcResult> | undefined;
  /** Goes on with a call that it answered with a `requestState`; nothing when that is not its own. */
  resume?(call: ToolCall, port: ServerPort): Promise<RpcResult | undefined>;
  /** What it adds to a task that is written, in whichever dialect. */
  addToSubmission?(
    call: CheckedCall,
    submission: Submission,
    port: ServerPort,
  ): Promise<SubmissionAddition | undefined> | SubmissionAddition | undefined;

  /** How a tool is shown in `tools/list`, of the server's or of a dialect's own. */
  toListing?(listing: ToolListing, shown: ShownTool, port: ServerPort): ToolListing;
  /** Tools it adds to `tools/list`. */
  listOwnTools?(caller: Caller, port: ServerPort): readonly ToolListing[];

  /** Resources it adds to those that the server has. */
  readonly resources?: ServedResources;

  /** JSON-RPC methods it serves, by name. */
  readonly methods?: { readonly [method: string]: ServedMethod };
  /** The part of `subscriptions/listen` (2026-07-28) that it serves. */
  readonly subscriptions?: ServedSubscriptions;

  /** Tells a client of its work, for as long as its connection lasts; nothing where that cannot be. */
  createFollower?(connection: FollowedConnection, port: ServerPort): Follower | undefined;
}

/** A tool as `tools/list` shows it. */
export type ToolListing = { readonly name: string; readonly [key: string]: unknown };

/** A tool that is about to be listed, and for whom. */
export interface ShownTool {
  readonly caller: Caller;
  /** Absent for a tool that a dialect adds. */
  readonly tool?: ToolView;
}

/** Resources that a dialect adds, by their addresses. */
export interface ServedResources {
  /** As `resources/list` shows them. */
  list(caller: Caller, port: ServerPort): readonly ResourceListing[];
  /** Whether it answers for this address, whoever asks. */
  has(uri: string): boolean;
  /** Its contents, as `resources/read` gives them. */
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

/** One request of such a method. */
export interface MethodRequest {
  readonly params: { readonly [key: string]: unknown };
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Answers to questions (2026-07-28), which the protocol keeps beside the parameters. */
  readonly inputResponses: { readonly [key: string]: unknown };
  /** How to ask the client on the line of this request; nothing where it cannot be asked. */
  readonly questions?: QuestionChannel | undefined;
  /** Keeps what the caller has been told, where a line that was cut can be resumed. */
  readonly mark?: (told: ToldPoint) => void;
}

/** Subscriptions that a dialect serves within `subscriptions/listen`. */
export interface ServedSubscriptions {
  /** Whether a listen request with these parameters asks for something here. */
  takes(params: unknown): boolean;
  /** Looks up what is asked for; throws when it cannot be had. */
  open(request: SubscriptionRequest, port: ServerPort): Promise<Subscription>;
}

/** A request to be told of something for as long as it is open. */
export interface SubscriptionRequest {
  readonly id: string | number;
  readonly params: unknown;
  readonly principal: string;
}

/** Sends what it reads, if anything, one after the other; resolves when the subscriber can take more. */
export type SendRead = (read: () => Promise<object | undefined>) => void | Promise<void>;

/** One open subscription. */
export interface Subscription {
  /** The acknowledgement of the listen request, with what was accepted here. */
  acknowledge<T extends object>(acknowledgement: T): T;
  /** Tells until all has been told, or on close. */
  run(send: SendRead): Promise<void>;
  close(): void;
}

/** What a follower is made for. */
export interface FollowedConnection {
  readonly connection: ClientConnection;
  readonly engine: Engine;
  /** Hears why something could not be followed any longer. */
  report(error: unknown): void;
}

/** Tells the client of a connection about work that was begun on it. */
export interface Follower {
  /** Follows the task of a call that is being answered. */
  follow(task: Task, details?: unknown): void;
  /** Takes up a task that the session has begun on an earlier stream or another server, if it is of this dialect. */
  resume?(task: Task): void;
  /** The tasks that may be taken up when the session's stream opens. @default the newest of the principal */
  listResumable?(): AsyncIterable<Task>;
  /** Stops telling; the work goes on. */
  close(): void;
}
