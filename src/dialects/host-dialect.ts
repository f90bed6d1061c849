/**
 * The host half of a dialect: what a host must know of one wire contract for long calls.
 *
 * Only `read`, `follow` and `cancel` are needed. Everything that must be remembered of a call is in its handle, which is
 * on disk before it is followed: a handle may be followed by another process, from the beginning.
 */
import type { Clock } from '../clock.ts';
import type {
  CallHandle,
  CallOutcome,
  CallUpdate,
  HostPort,
  JsonObject,
  Notification,
  ServerFacts,
} from './host-port.ts';

/** How a server is reached and what is said of it, as far as a dialect looks at it. */
export type SpecFields = { readonly [field: string]: unknown };

/** A field of a server's spec that belongs to a dialect. */
export interface SpecField {
  /** In words, for the complaint. */
  readonly expected: string;
  isValid(value: unknown): boolean;
}

/** Where the host keeps its state. */
export interface HostPlace {
  readonly stateDir: string | undefined;
  /** Whether servers may name files outside of it. */
  readonly allowOutside: boolean;
}

/** A call before it is written to the ledger. */
export interface NewDialectCall {
  readonly callId: string;
  readonly tool: string;
  /** The server's `callMeta` with the call's own. */
  readonly meta: JsonObject;
}

/** A call whose handle is known before it is sent. It is sent with this `_meta`, and dressed by nobody else. */
export interface DressedCall {
  readonly meta: JsonObject;
  readonly handle: CallHandle;
}

/** A call that is about to be sent, or was. */
export interface OutgoingCall {
  readonly tool: string;
  readonly meta: JsonObject;
  /** The tool as the server lists it, if it does. */
  readonly listed: JsonObject | undefined;
  readonly server: ServerFacts;
  readonly spec: SpecFields;
}

/** An answer that is no error, and what is known of its call. */
export interface DialectAnswer extends OutgoingCall {
  readonly result: JsonObject;
  /** The id of the request. */
  readonly rpcId: string;
  readonly now: number;
  /** What the dialect's own listener has heard until now. */
  readonly early: EarlyListener | undefined;
  /** The handle of a prepared call. Nobody else reads its answer. */
  readonly handle: CallHandle | undefined;
}

/** Hears what is told of a call from before it is sent: its dialect is not known until it is answered. */
export interface EarlyListener {
  /** The call goes out under this id; what was told of earlier requests is not about this one. */
  sentAs?(rpcId: string): void;
  hear(notification: Notification): void;
  /** The call has ended, or was an answer of another dialect. */
  close?(): void;
}

/** What a listener is given that hears of a call before its handle is known. */
export interface EarlyListenerOptions {
  readonly clock: Clock;
  update(update: CallUpdate): void;
}

/** The host half of a dialect: which answers are its own, and how it follows and cancels what they stand for. */
export interface HostDialect<Handle extends CallHandle = CallHandle> {
  /** As `dialect` in its handles: it is in ledgers, and never changes. */
  readonly name: string;
  /** Extensions of the protocol that the host declares for it. */
  readonly extensions?: readonly string[];
  /** Fields of a server's spec that are its own. */
  readonly specFields?: Readonly<Record<string, SpecField>>;
  /** How a server is reached that is described in the dialect's own way; nothing for any other description. */
  resolveSpec?(spec: SpecFields, place: HostPlace): Promise<SpecFields> | undefined;
  /** What the environment of a server must hold that the host starts. */
  serverEnv?(spec: SpecFields, place: HostPlace): Readonly<Record<string, string>> | undefined;
  /** Before the call is written to the ledger; nothing when its handle is not known yet, or the call is not its own. */
  prepare?(call: NewDialectCall, place: HostPlace): Promise<DressedCall | undefined> | undefined;
  /** What is added to the params of the request, and to their `_meta`. */
  dress?(call: OutgoingCall): JsonObject | undefined;
  /** For a dialect that is told of calls before their answers. */
  listen?(options: EarlyListenerOptions): EarlyListener;
  /** The handle in an answer; nothing when the answer is not its own. */
  read(answer: DialectAnswer): Handle | undefined;
  /** Waits for the outcome; rejects with the reason of the port's signal when nobody waits any longer. */
  follow(handle: Handle, port: HostPort, early?: EarlyListener): Promise<CallOutcome>;
  /** Stops the work on the server; false when the server did not take that. */
  cancel(handle: Handle, port: HostPort): Promise<boolean>;
  /** Why there is no outcome yet, for whoever stops waiting. */
  explain?(handle: Handle): Promise<string>;
  /** A handle for a task by its id; nothing when the server has no such tasks. */
  toTaskHandle?(taskId: string, server: ServerFacts): Handle | undefined;
  /** The task that a request of the server's names. */
  readRelatedTask?(params: JsonObject): string | undefined;
  /** The task behind a handle. @default its field `taskId` */
  findTaskId?(handle: Handle): string | undefined;
}
