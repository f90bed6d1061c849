/**
 * What a server offers to the dialects it speaks: the counterpart of `host-port.ts`.
 *
 * The server implements it (`server/server-port.ts`); a dialect sees calls, tools, clients and connections only through
 * these types, and never the SDK.
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

/** Which generation of the protocol a request speaks: sessions (up to 2025-11-25), or none (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** The result member of a JSON-RPC answer. */
export type RpcResult = { [key: string]: unknown };

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
  /** It shows views of MCP Apps beside the calls of tools. @default false */
  readonly showsViews?: boolean;
  /** It can be told something after its request was answered. */
  readonly acceptsNotifications: boolean;
  /** Names the connection for as long as it lasts; across replicas on HTTP. Legacy only. */
  readonly sessionId?: string;
  /** Where a request without a session comes from, if that is known. */
  readonly address?: string;
}

/** Why nobody waits for an answer any more. */
export type Gone = { readonly kind: 'cancelled'; readonly reason: string } | { readonly kind: 'gone' };

/** Whether an answer that was sent arrived. */
export type AnswerFate = 'read' | 'lost';

/** What is remembered of one client for as long as it is connected: whether anybody sits before it. */
export interface HeadlessMark {
  readonly isHeadless: boolean;
  learnHeadless(): void;
}

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
  /**
   * Keeps the caller informed of a task after its request was answered, in the words of this dialect and for as long as
   * its connection lasts; nothing happens where nothing can be told. `details` are for the dialect's own follower.
   */
  follow(dialect: string, task: Task, details?: unknown): void;
  /** Keeps what the caller has been told of its task; absent where a line that was cut cannot be resumed. */
  readonly mark?: (told: ToldPoint) => void;
  /** Calls back when the server is about to stop; absent where the line ends by itself then. */
  readonly onStop?: (listener: () => void) => () => void;
  /** What becomes of the answer that is about to be given. */
  followAnswer(): Promise<AnswerFate>;
  /** Calls back at most once, when the caller has cancelled the request or gone away. */
  onGone(listener: (gone: Gone) => void): () => void;
}

/**
 * How a call came to the task of an earlier one: it asked for the same while that was running, or after it had ended; or
 * it named it by its key, and so gets what it asked for.
 */
export type Joining = 'running' | 'ended' | 'key';

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
  /** Answers to an earlier `input_required` answer (2026-07-28). */
  readonly inputResponses?: { readonly [key: string]: unknown };
  readonly requestState?: string;
  /** It goes on with the answer to a call whose stream was cut. */
  readonly resumed?: EventPoint;
  readonly caller: Caller;
  readonly channel: RequestChannel;
}

/** A tool, as far as dialects care. */
export interface ToolView {
  readonly name: string;
  readonly taskMode: 'auto' | 'always' | 'never';
  readonly inlineMs: number;
  readonly joinMs: number;
  readonly definition: { readonly join?: boolean; readonly joinMs?: number; readonly logs?: 'tell' | 'keep' };
  /** How it answers through the log of prompts, if it does by itself. */
  readonly prompts?: AsyncToolConfig;
  readonly stream: StreamSettings;
  /** Absent for a tool that promises nothing of its results. */
  readonly parseOutput?: (value: unknown) => Json;
}

/** A call of a tool that there is. */
export interface ToolCall extends IncomingCall {
  readonly tool: ToolView;
}

/** What the engine keeps as a task's arguments. */
export interface StoredCall {
  /** The arguments of the tool, as the client sent them. */
  readonly input: Json;
  readonly upfront: Readonly<Record<string, Json>>;
  readonly prepared?: Json;
}

/** A call whose arguments are right: it can be written as a task, or run at once where the tool is never one. */
export interface CheckedCall extends ToolCall {
  readonly stored: StoredCall;
  /** Writes its task; it is on disk when this resolves. */
  submit(submission: Submission): Promise<Written>;
  /** Runs a tool that is never a task, on this channel. */
  runDirectly(channel?: RequestChannel): Promise<RpcResult>;
}

/** How the task of a call is written. */
export interface Submission {
  /** Kept as the label `dialect`: which dialect shows the task. */
  readonly dialect: string;
  readonly options?: SubmitOptions;
}

/** What a dialect adds to tasks that are written in another, because the owner of a tool wants it. */
export interface SubmissionAddition {
  readonly deliver?: readonly Delivery[];
  readonly labels?: { readonly [name: string]: string };
  readonly onWritten?: (written: Written) => void;
}

/** A task and the engine that knows it. */
export interface Submitted {
  readonly engine: Engine;
  readonly task: Task;
  /** The wait of this call, when it holds the line. */
  readonly hold?: HeldTask;
}

/** What became of a call's task when it was written. */
export interface Written extends Submitted {
  /** False when the call took up a task that was there. */
  readonly created: boolean;
}

/** One client's connection, for what is told beside answers. */
export interface ClientConnection {
  readonly principal: string;
  /** Legacy HTTP only. */
  readonly sessionId?: string;
  readonly isLocal?: boolean;
  /** Tells the client something on the standing stream. */
  notify(method: string, params: { readonly [key: string]: Json }): Promise<void>;
  /** Whether a stream is open that would carry it now. */
  readonly canSend?: () => boolean;
  /** Calls back each time the client opens its standing stream: what was sent before may not have arrived. */
  readonly onStandingStream?: (listener: () => void) => () => void;
  /** Resolves when the client is not far behind with what was told on its standing stream. */
  readonly whenReady?: () => Promise<void>;
  /** How to ask the client on its standing stream; nothing where it cannot be asked. */
  readonly questions?: QuestionChannel | undefined;
}

/** What is known of one client. */
export interface Profile {
  /** When it gives up on a call, in ms; `null` for never. */
  readonly giveUpMs: number | null;
  /** Whether its clock begins anew with every progress notification. @default false */
  readonly progressResets?: boolean;
  /** Whether plain calls are answered as two-stage jobs. @default false */
  readonly jobs?: boolean;
  /**
   * Whether it knows two-stage jobs and no tool results: its plain calls are jobs, and whatever it gets is the bare
   * object. @default false
   */
  readonly bareJobs?: boolean;
  /** Whether it asks for 2025-11-25 tasks by itself, and so needs no tools to wait with. @default false */
  readonly tasks2025?: boolean;
  /**
   * Whether it tells equal tools of several servers apart by itself, so that the tools to wait with need no prefix.
   * @default false
   */
  readonly prefixesTools?: boolean;
  /**
   * Reasons, or parts of them, with which it cancels a call that nobody asked to stop: the call counts as left. Reasons
   * that speak of a time-out do so for every client. @default none
   */
  readonly leaveReasons?: readonly string[];
  /**
   * Whether nobody sits before it, although it says that it can ask its user: questions are put into words for the model.
   *
   * @default false
   */
  readonly headless?: boolean;
  /**
   * Whether it asks for 2026-07-28 again when the `initialize` is refused that it sends because `server/discover` was
   * answered late. @default false
   */
  readonly rediscovers?: boolean;
}

/** The settings of a server that are its dialects'. */
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

/** Makes texts that a client carries for the server and cannot change or make up. */
export interface Seal {
  /** `use` keeps texts of one kind from being taken for another. */
  seal(use: string, content: Json): string;
  open(use: string, text: string): Json | undefined;
}

/** What is known of an answer. */
export interface Answered {
  /** Resolves with what became of it. */
  readonly fate: Promise<AnswerFate>;
  /** For how long the same call gets it again when it was lost. */
  readonly joinMs: number;
}

/** What a server offers to a dialect. */
export interface ServerPort {
  readonly settings: DialectSettings;
  /** How `tasks/result` of 2025-11-25 treats a task that has not ended. */
  readonly resultPolicy: ResultPolicy;
  readonly clock: Clock;
  /** The engine, opened when first needed: a server of `never` tools touches no store. */
  openEngine(): Promise<Engine>;
  openSeal(): Promise<Seal>;
  /** Whether any tool can be a task. */
  hasTasks(): boolean;
  /** What is known of a client by its name. */
  findProfile(caller: Pick<Caller, 'client'>): Profile;
  /** The same for a request: who does not show that it is what it calls itself gets no more than the default. */
  findShownProfile(request: Pick<IncomingCall, 'caller'> & Partial<Pick<IncomingCall, 'channel'>>): Profile;
  /**
   * How long the line of a call may be held: until shortly before its client gives up, or for ever. A `turn` says how
   * many answers its caller has got in time so far.
   */
  handOverAfterMs(call: IncomingCall, turn?: number): number;
  /** Lets go of a held task once its answer is known to have arrived. */
  followAnswer(place: Pick<HeldTask, 'close' | 'doubt'>, answered: Answered): void;
  /** Reads JSON inside of a message, within the limits of one; nothing when it cannot be read. */
  parseJson(text: string): unknown;
  report(error: unknown): void;
}
