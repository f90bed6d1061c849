/**
 * What a server offers to its dialects: the counterpart of `host-port.ts`.
 *
 * The server implements it (`server/server-port.ts`). A dialect sees calls, tools, clients and connections only through
 * these types, never the SDK.
 */
import type { Clock } from '../clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { HeldTask } from '../engine/holds/held-task.ts';
import type { SubmitOptions } from '../engine/intake/submit.ts';
import type { LogLevel } from '../task/event.ts';
import type { Json } from '../task/json.ts';
import type { Delivery, Task } from '../task/record.ts';
import type { CompanionPrefix, ResultPolicy, StreamSettings } from './options.ts';
import type { AsyncToolConfig } from './shared/async-task.ts';
import type { InputCapabilities } from './shared/questions/mcp-input.ts';
import type { QuestionChannel } from './shared/questions/question-request.ts';

/** The protocol generation of a request: with sessions (up to 2025-11-25), or without (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** The `result` member of a JSON-RPC response. */
export type RpcResult = { [key: string]: unknown };

/** Who sent a request, as far as the request shows it. */
export interface Caller {
  readonly era: Era;
  readonly principal: string;
  /** Whether the caller started this process, and so may name whatever the process's owner may. */
  readonly isLocal: boolean;
  /** The name that the client reports; used for profiles, never for authorization. */
  readonly client?: { readonly name: string; readonly version?: string };
  /** The protocol revision of its requests. */
  readonly protocolVersion?: string;
  /** Whether it called `server/discover` on this connection; false where that is unknown. */
  readonly hasProbed?: boolean;
  readonly capabilities: InputCapabilities;
  /** Whether the request declares the tasks extension of 2026-07-28. */
  readonly declaresTasks: boolean;
  /** Whether it shows views of MCP Apps next to tool calls. @default false */
  readonly showsViews?: boolean;
  /** Whether it can receive notifications after its request was answered. */
  readonly acceptsNotifications: boolean;
  /** Identifies the connection for as long as it lasts, across replicas on HTTP. Legacy only. */
  readonly sessionId?: string;
  /** The address that a request without a session comes from, if known. */
  readonly address?: string;
}

/** Why the caller no longer waits for an answer. */
export type Gone = { readonly kind: 'cancelled'; readonly reason: string } | { readonly kind: 'gone' };

/** Whether an answer that was sent arrived. */
export type AnswerFate = 'read' | 'lost';

/** Remembers, for as long as a client is connected, whether it is headless: no user sits in front of it. */
export interface HeadlessMark {
  readonly isHeadless: boolean;
  learnHeadless(): void;
}

/** The open connection of one request: how to reach its caller before it is answered. */
export interface RequestChannel {
  readonly progressToken?: string | number;
  notify(method: string, params: { readonly [key: string]: Json }): Promise<void>;
  /** Sends a log message to a client that asked for this level. */
  log(level: LogLevel, data: Json): Promise<void>;
  /** Asks the client on this connection. Absent in the modern era, where a server sends no requests. */
  readonly questions?: QuestionChannel;
  /** Whether a user sits in front of the client, as far as it has shown. */
  readonly headless: HeadlessMark;
  /**
   * Sends the caller notifications about a task after its request was answered, in this dialect and for as long as its
   * connection lasts; does nothing where nothing can be sent. `details` are for the dialect's own follower.
   */
  follow(dialect: string, task: Task, details?: unknown): void;
  /** Records what the caller has been sent about its task; absent where a stream that was cut cannot be resumed. */
  readonly mark?: (told: ToldPoint) => void;
  /** Calls back when the server is about to stop; absent where the connection ends by itself then. */
  readonly onStop?: (listener: () => void) => () => void;
  /** Resolves with whether the answer that is about to be sent arrives. */
  followAnswer(): Promise<AnswerFate>;
  /** Calls back at most once, when the caller has cancelled the request or disconnected. */
  onGone(listener: (gone: Gone) => void): () => void;
}

/**
 * How a call came to share the task of an earlier one: it made the same request while the task was running, or after it
 * had ended; or it named the task by its key, and so gets what it asked for.
 */
export type Joining = 'running' | 'ended' | 'key';

/** What a client has been sent about the task that its call waits for. */
export interface ToldPoint {
  readonly taskId: string;
  /** The tool that was called. */
  readonly tool: string;
  /** The client has been sent all events up to this number. */
  readonly seq: number;
  /** When the call arrived, epoch ms: its client's timeout counts from then. */
  readonly startedAt: number;
  readonly progressToken?: string | number;
  /** Identifies the hold of the task, in whichever process. */
  readonly holdKey?: string;
  readonly isKnown?: boolean;
  /** Set when this is the task of an earlier call, and its result says so. */
  readonly joined?: Joining;
  /** How many hand-overs the client had read when it called. */
  readonly turn?: number;
  readonly waitMs?: number;
  /** Set when the task was requested by `tasks/result`, with these parameters. */
  readonly result?: { readonly wait?: boolean };
}

/** The state of a stream after one of its events. */
export interface EventPoint extends ToldPoint {
  readonly requestId: string | number;
  /** The last progress value that was sent. */
  readonly progress?: number;
  /** The ids of server requests that the client has received. */
  readonly asked?: readonly string[];
  /** The request has been answered: no event follows. */
  readonly isEnd?: boolean;
}

/** One `tools/call`. */
export interface IncomingCall {
  /** The JSON-RPC id of the request. */
  readonly id: string | number;
  readonly name: string;
  /** The server's tool of that name, looked up once; absent when there is none. */
  readonly tool?: ToolView;
  readonly args: unknown;
  readonly meta: { readonly [key: string]: unknown };
  /** The client asked for a 2025-11-25 task. */
  readonly task?: { readonly ttl?: number | null };
  /** Answers to an earlier `input_required` response (2026-07-28). */
  readonly inputResponses?: { readonly [key: string]: unknown };
  readonly requestState?: string;
  /** Set when it resumes the answer to a call whose stream was cut. */
  readonly resumed?: EventPoint;
  readonly caller: Caller;
  readonly channel: RequestChannel;
}

/** What dialects see of a tool. */
export interface ToolView {
  readonly name: string;
  readonly taskMode: 'auto' | 'always' | 'never';
  readonly inlineMs: number;
  readonly joinMs: number;
  readonly definition: { readonly join?: boolean; readonly joinMs?: number; readonly logs?: 'tell' | 'keep' };
  /** How the tool itself answers through the prompt log, if it does. */
  readonly prompts?: AsyncToolConfig;
  readonly stream: StreamSettings;
  /** Checks a result; absent for a tool without an output schema. */
  readonly parseOutput?: (value: unknown) => Json;
}

/** A call of a tool that exists. */
export interface ToolCall extends IncomingCall {
  readonly tool: ToolView;
}

/** What the engine stores as a task's arguments. */
export interface StoredCall {
  /** The tool's arguments, as the client sent them. */
  readonly input: Json;
  readonly upfront: Readonly<Record<string, Json>>;
  readonly prepared?: Json;
}

/** A call with valid arguments: it can be written as a task, or run at once if its tool is never a task. */
export interface CheckedCall extends ToolCall {
  readonly stored: StoredCall;
  /** Writes its task, which is on disk when the promise resolves. */
  submit(submission: Submission): Promise<Written>;
  /** Runs a tool that is never a task, with this channel. */
  runDirectly(channel?: RequestChannel): Promise<RpcResult>;
}

/** How to write the task of a call. */
export interface Submission {
  /** Stored as the label `dialect`: which dialect presents the task. */
  readonly dialect: string;
  readonly options?: SubmitOptions;
}

/** What a dialect adds to tasks that another dialect writes, because the tool's owner configured it. */
export interface SubmissionAddition {
  readonly deliver?: readonly Delivery[];
  readonly labels?: { readonly [name: string]: string };
  readonly onWritten?: (written: Written) => void;
}

/** A task and the engine that stores it. */
export interface Submitted {
  readonly engine: Engine;
  readonly task: Task;
  /** The hold of this call, when its request is kept open. */
  readonly hold?: HeldTask;
}

/** The result of writing a call's task. */
export interface Written extends Submitted {
  /** False when the call joined an existing task. */
  readonly created: boolean;
}

/** One client's connection, for notifications that are not part of an answer. */
export interface ClientConnection {
  readonly principal: string;
  /** Legacy HTTP only. */
  readonly sessionId?: string;
  readonly isLocal?: boolean;
  /** Sends the client a notification on the standing stream. */
  notify(method: string, params: { readonly [key: string]: Json }): Promise<void>;
  /** Whether a stream is open that would deliver a notification now. */
  readonly canSend?: () => boolean;
  /** Calls back each time the client opens its standing stream: earlier notifications may not have arrived. */
  readonly onStandingStream?: (listener: () => void) => () => void;
  /** Resolves when the client has almost caught up with the notifications on its standing stream. */
  readonly whenReady?: () => Promise<void>;
  /** Asks the client on its standing stream; undefined where the client cannot be asked. */
  readonly questions?: QuestionChannel | undefined;
}

/** What is known of one client. */
export interface Profile {
  /** How long it waits for a call before it times out, in ms; `null` for no timeout. */
  readonly giveUpMs: number | null;
  /** Whether each progress notification restarts its timeout. @default false */
  readonly progressResets?: boolean;
  /** Whether its plain calls are answered as two-stage jobs. @default false */
  readonly jobs?: boolean;
  /**
   * Whether it supports two-stage jobs but no tool results: its plain calls are jobs, and every answer it gets is the
   * bare object. @default false
   */
  readonly bareJobs?: boolean;
  /** Whether it asks for 2025-11-25 tasks by itself, and so needs no companion tools. @default false */
  readonly tasks2025?: boolean;
  /**
   * Whether it tells tools of the same name on several servers apart by itself, so that companion tools need no prefix.
   * @default false
   */
  readonly prefixesTools?: boolean;
  /**
   * Reasons, or parts of them, with which it cancels a call although no user asked to stop it: the call is treated as
   * abandoned by its client, not as cancelled. Reasons that mention a timeout are treated so for every client. @default
   * none
   */
  readonly leaveReasons?: readonly string[];
  /**
   * Whether no user sits in front of it, although it declares that it can ask its user: questions are worded for the
   * model.
   *
   * @default false
   */
  readonly headless?: boolean;
  /**
   * Whether it asks for 2026-07-28 again after the server refused its `initialize`, which it sends when
   * `server/discover` was answered late. @default false
   */
  readonly rediscovers?: boolean;
}

/** The server settings that belong to its dialects. */
export interface DialectSettings {
  readonly unattendedMs: number;
  readonly joinMs: number;
  readonly unansweredMs: number;
  readonly progressEveryMs: number;
  readonly jobs: 'asked' | 'always';
  readonly bareJobs: boolean;
  readonly errorDetails: boolean | undefined;
  readonly ackText: string | undefined;
  readonly promptRoots: readonly string[] | undefined;
  readonly requireTaskId: boolean;
  readonly companionPrefix: CompanionPrefix;
}

/** Creates texts that a client carries for the server and can neither alter nor forge. */
export interface Seal {
  /** `use` keeps texts of one kind from being accepted as another. */
  seal(use: string, content: Json): string;
  open(use: string, text: string): Json | undefined;
}

/** What is known of an answer. */
export interface Answered {
  /** Resolves with whether the answer arrived. */
  readonly fate: Promise<AnswerFate>;
  /** For how long, in ms, the same call gets the answer again when it was lost. */
  readonly joinMs: number;
}

/** What a server offers to a dialect. */
export interface ServerPort {
  readonly settings: DialectSettings;
  /** How `tasks/result` of 2025-11-25 treats a task that has not ended. */
  readonly resultPolicy: ResultPolicy;
  readonly clock: Clock;
  /** Opens the engine on first use: a server with only `never` tools touches no store. */
  openEngine(): Promise<Engine>;
  openSeal(): Promise<Seal>;
  /** Whether any tool can be a task. */
  hasTasks(): boolean;
  /** Returns what is known of a client, by its name. */
  findProfile(caller: Pick<Caller, 'client'>): Profile;
  /** Like `findProfile`, for a request: a client that does not prove to be what it calls itself gets no more than the default. */
  findShownProfile(request: Pick<IncomingCall, 'caller'> & Partial<Pick<IncomingCall, 'channel'>>): Profile;
  /**
   * Returns how long a call may be held, in ms: until shortly before its client times out, or without limit. `turn` is
   * how many answers its caller has received in time so far.
   */
  handOverAfterMs(call: IncomingCall, turn?: number): number;
  /** Releases a held task once its answer is known to have arrived. */
  followAnswer(place: Pick<HeldTask, 'close' | 'doubt'>, answered: Answered): void;
  /** Parses JSON inside a message, within the limits of a message; undefined when it cannot be read. */
  parseJson(text: string): unknown;
  report(error: unknown): void;
}
