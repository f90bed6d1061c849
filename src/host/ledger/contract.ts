/**
 * The host's durable record of its calls.
 *
 * A call is written before it is sent, its handle before it is followed, its outcome before it is delivered. A promise resolves
 * when the change is durable.
 */
import type { CallHandle, CallOutcome, JsonObject } from '../../dialects/host-port.ts';
import type { ProcessRef } from '../../process/process-ref.ts';

/** One call of a tool, from its beginning until it is acknowledged and swept. */
export interface CallRecord {
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly sessionId?: string;
  /** The caller's idempotency key: at most one call has it. */
  readonly key?: string;
  /** Whether the call may be sent again when its outcome is unknown. */
  readonly repeat?: 'never' | 'idempotent';
  /** Extra `_meta` fields of the request, besides those of the protocol. */
  readonly meta?: JsonObject;
  /** Where the spec of its server came from, as given by the caller. */
  readonly origin?: JsonObject;
  /** The process that sends and follows the call. */
  readonly owner: string;
  readonly createdAt: number;
  /** When waiting for the call times out, if it does. */
  readonly deadlineAt?: number;
  readonly handle?: CallHandle;
  readonly outcome?: CallOutcome;
  readonly endedAt?: number;
  readonly ackedAt?: number;
}

/** A call that has not been sent. */
export type NewCall = Omit<CallRecord, 'outcome' | 'endedAt' | 'ackedAt'>;

/** Selects the calls to list. */
export interface CallFilter {
  readonly server?: string;
  readonly sessionId?: string;
  /** Whether to list only calls that are not acknowledged yet. @default false */
  readonly unacked?: boolean;
  /** @default 1000 */
  readonly limit?: number;
}

/** The answer to a question of a call. */
export interface CallAnswer {
  /** The name of the question, or a fingerprint of what it asked with a count. */
  readonly key: string;
  readonly answer: JsonObject;
}

/** A server that a host runs as a child process. */
export interface ChildNote {
  /** The mark in the environment of the child and of every process it starts. */
  readonly mark: string;
  readonly server: string;
  /** The host that started it. */
  readonly owner: string;
  /** The session of processes that the child is in, where known; absent when it leads a session whose number is not known yet. */
  readonly session?: number;
  /** The child process; absent until it runs. */
  readonly process?: ProcessRef;
}

/** The child processes of hosts, so that those a dead host left behind can be ended. */
export interface ChildNotes {
  /** Called before the child is started, and again when it passes to another owner: the later note replaces the first. */
  add(child: ChildNote): Promise<void>;
  /** Stores the process of a child that runs. */
  setProcess(mark: string, process: ProcessRef): Promise<void>;
  /** Removes a child that has ended. */
  remove(mark: string): Promise<void>;
  list(): Promise<ChildNote[]>;
}

/** Where a host stores its calls: each from before it is sent until its outcome was acknowledged and swept. */
export interface Ledger {
  /** The host's child processes. Absent when the ledger ends with this process, which then ends its children itself. */
  readonly children?: ChildNotes;
  /** The directory where a key file may be stored; absent when the ledger is not on disk. */
  readonly directory?: string;
  /** The path of its file, when another process can open it; absent otherwise. */
  readonly path?: string;
  /** Writes a new call. When another call already has its key, nothing is written, and the id of that call is returned. */
  create(call: NewCall): Promise<string | undefined>;
  /**
   * Stores the handle by which the call is followed; a later handle replaces an earlier one. Returns `false` when the call has
   * ended.
   */
  setHandle(callId: string, handle: CallHandle): Promise<boolean>;
  /** Changes the process that owns a call. Returns `false` when the call has ended, or is not owned by `from` any more. */
  adopt(callId: string, owner: { readonly from: string; readonly to: string }): Promise<boolean>;
  /** Ends a call. Returns `false` when it had already ended: the first outcome stays. */
  settle(callId: string, outcome: CallOutcome): Promise<boolean>;
  /** Acknowledges the outcome. Returns `false` when there is none, or it was acknowledged before. */
  ack(callId: string): Promise<boolean>;
  /** Stores an answer to a question of a call; returns the stored answer, which is the first one given. */
  answer(callId: string, key: string, answer: JsonObject): Promise<JsonObject>;
  findAnswer(callId: string, key: string): Promise<JsonObject | undefined>;
  /** Returns all answers of a call, ordered by key. */
  answers(callId: string): Promise<CallAnswer[]>;
  get(callId: string): Promise<CallRecord | undefined>;
  /** Returns the matching calls, oldest first. */
  list(filter?: CallFilter): Promise<CallRecord[]>;
  /** Deletes calls acknowledged at or before this time; returns how many. */
  sweep(ackedBefore: number): Promise<number>;
  close(): Promise<void>;
}
