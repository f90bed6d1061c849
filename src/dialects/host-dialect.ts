/**
 * The host half of a dialect: what a host must know of one wire contract for long calls.
 *
 * Of its methods only `read`, `follow` and `cancel` are required. All state of a call is in its handle, which is on
 * disk before it is followed: another process can follow the handle from the beginning.
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

/** How a server is reached and described: the fields of its spec, as far as dialects read them. */
export type SpecFields = { readonly [field: string]: unknown };

/** A field of a server's spec that belongs to a dialect. */
export interface SpecField {
  /** What the value must be, in words, for the error message. */
  readonly expected: string;
  isValid(value: unknown): boolean;
}

/** Where the host keeps its state. */
export interface HostPlace {
  readonly stateDir: string | undefined;
  /** Whether servers may name files outside of `stateDir`. */
  readonly allowOutside: boolean;
}

/** A call before it is written to the ledger. */
export interface NewDialectCall {
  readonly callId: string;
  readonly tool: string;
  /** The server's `callMeta` merged with the call's own `_meta`. */
  readonly meta: JsonObject;
}

/** A call whose handle is known before it is sent. It is sent with this `_meta`, and no other dialect's `dress` is applied. */
export interface DressedCall {
  readonly meta: JsonObject;
  readonly handle: CallHandle;
}

/** A call that is about to be sent, or has been sent. */
export interface OutgoingCall {
  readonly tool: string;
  readonly meta: JsonObject;
  /** The tool as the server lists it; undefined when the server does not list it. */
  readonly listed: JsonObject | undefined;
  readonly server: ServerFacts;
  readonly spec: SpecFields;
}

/** A successful response, and what is known of its call. */
export interface DialectAnswer extends OutgoingCall {
  readonly result: JsonObject;
  /** The JSON-RPC id of the request. */
  readonly rpcId: string;
  readonly now: number;
  /** The dialect's own listener, with what it has received so far. */
  readonly early: EarlyListener | undefined;
  /** The handle of a prepared call. Only the dialect that prepared the call reads its answer. */
  readonly handle: CallHandle | undefined;
}

/** Receives the notifications of a call from before it is sent: its dialect is not known until it is answered. */
export interface EarlyListener {
  /** The call is sent under this id; notifications for earlier requests are not about this call. */
  sentAs?(rpcId: string): void;
  hear(notification: Notification): void;
  /** The call has ended, or its answer belongs to another dialect. */
  close?(): void;
}

/** Options of a listener that receives notifications of a call before its handle is known. */
export interface EarlyListenerOptions {
  readonly clock: Clock;
  update(update: CallUpdate): void;
}

/** The host half of a dialect: which answers belong to it, and how it follows and cancels the work behind them. */
export interface HostDialect<Handle extends CallHandle = CallHandle> {
  /** The `dialect` of its handles. It is stored in ledgers, so it never changes. */
  readonly name: string;
  /** Protocol extensions that the host declares for this dialect. */
  readonly extensions?: readonly string[];
  /** The fields of a server's spec that belong to this dialect. */
  readonly specFields?: Readonly<Record<string, SpecField>>;
  /** Resolves a spec in the dialect's own form to how the server is reached; undefined for any other spec. */
  resolveSpec?(spec: SpecFields, place: HostPlace): Promise<SpecFields> | undefined;
  /** The environment variables that a server needs when the host starts it. */
  serverEnv?(spec: SpecFields, place: HostPlace): Readonly<Record<string, string>> | undefined;
  /**
   * Prepares a call before it is written to the ledger; undefined when its handle is not known yet, or for another
   * dialect's call.
   */
  prepare?(call: NewDialectCall, place: HostPlace): Promise<DressedCall | undefined> | undefined;
  /** The members to add to the params of the request, and to their `_meta`. */
  dress?(call: OutgoingCall): JsonObject | undefined;
  /** Creates the listener of a dialect whose servers send notifications about a call before its answer. */
  listen?(options: EarlyListenerOptions): EarlyListener;
  /** Returns the handle in an answer; undefined when the answer belongs to another dialect. */
  read(answer: DialectAnswer): Handle | undefined;
  /** Waits for the outcome; rejects with the reason of the port's signal when the caller stops waiting. */
  follow(handle: Handle, port: HostPort, early?: EarlyListener): Promise<CallOutcome>;
  /** Stops the work on the server; false when the server refused. */
  cancel(handle: Handle, port: HostPort): Promise<boolean>;
  /** Says why there is no outcome yet, for a caller that stops waiting. */
  explain?(handle: Handle): Promise<string>;
  /** Returns a handle for a task by its id; undefined when the server has no such tasks. */
  toTaskHandle?(taskId: string, server: ServerFacts): Handle | undefined;
  /** Returns the id of the task that a request from the server names. */
  readRelatedTask?(params: JsonObject): string | undefined;
  /** Returns the id of the task behind a handle. @default its field `taskId` */
  findTaskId?(handle: Handle): string | undefined;
}
