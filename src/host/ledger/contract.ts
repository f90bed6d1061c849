/**
 * The host's durable record of its calls.
 *
 * A call is written before it is sent, its handle before anybody waits, its outcome before it is delivered. A promise
 * resolves when the change is durable.
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
  /** What the caller knows it by: there is one call with a key. */
  readonly key?: string;
  /** Whether it may be sent again when nobody can tell what became of it. */
  readonly repeat?: 'never' | 'idempotent';
  /** What goes along with the request, besides what the protocol puts there. */
  readonly meta?: JsonObject;
  /** Where the spec of its server came from, as the caller put it. */
  readonly origin?: JsonObject;
  /** The process that sends and follows it. */
  readonly owner: string;
  readonly createdAt: number;
  /** When waiting ends, if it does. */
  readonly deadlineAt?: number;
  readonly handle?: CallHandle;
  readonly outcome?: CallOutcome;
  readonly endedAt?: number;
  readonly ackedAt?: number;
}

/** A call that has not been sent. */
export type NewCall = Omit<CallRecord, 'outcome' | 'endedAt' | 'ackedAt'>;

/** Which calls are listed. */
export interface CallFilter {
  readonly server?: string;
  readonly sessionId?: string;
  /** Only those not acknowledged yet. @default false */
  readonly unacked?: boolean;
  /** @default 1000 */
  readonly limit?: number;
}

/** What was said to a question of a call. */
export interface CallAnswer {
  /** The name of the question, or what it asked as a fingerprint and a count. */
  readonly key: string;
  readonly answer: JsonObject;
}

/** A server that a host runs as a child process. */
export interface ChildNote {
  /** In the environment of the child and of what it starts. */
  readonly mark: string;
  readonly server: string;
  /** The host that started it. */
  readonly owner: string;
  /** The session of processes it is in, where that can be told; its own, until somebody knows which. */
  readonly session?: number;
  /** Nothing until it runs. */
  readonly process?: ProcessRef;
}

/** The child processes of hosts, so that what a dead one left can be ended. */
export interface ChildNotes {
  /** Before the child is started, and again when it passes to another owner: the later note takes the place of the first. */
  add(child: ChildNote): Promise<void>;
  /** It runs. */
  setProcess(mark: string, process: ProcessRef): Promise<void>;
  /** It has ended. */
  remove(mark: string): Promise<void>;
  list(): Promise<ChildNote[]>;
}

/** Where a host keeps its calls: each is written before it is sent, and until its outcome was taken. */
export interface Ledger {
  /** Absent when it ends with this process, which then ends its children itself. */
  readonly children?: ChildNotes;
  /** Where a key may lie beside it; absent when it has no place on disk. */
  readonly directory?: string;
  /** Its file, when another process can open it; absent when none can. */
  readonly path?: string;
  /** Writes a new call. When another has its key already, nothing is written, and the id of that one is returned. */
  create(call: NewCall): Promise<string | undefined>;
  /** Keeps what the call is waited for by; later handles take the place of earlier ones. False when it has ended. */
  setHandle(callId: string, handle: CallHandle): Promise<boolean>;
  /** Makes another process the one that follows a call. False when it has ended, or has passed to somebody else. */
  adopt(callId: string, owner: { readonly from: string; readonly to: string }): Promise<boolean>;
  /** Ends a call. False when it had ended: the first outcome stays. */
  settle(callId: string, outcome: CallOutcome): Promise<boolean>;
  /** The outcome has been taken. False when there is none, or it was taken before. */
  ack(callId: string): Promise<boolean>;
  /** Keeps an answer to a question of a call; returns the one that is kept, which is the first. */
  answer(callId: string, key: string, answer: JsonObject): Promise<JsonObject>;
  findAnswer(callId: string, key: string): Promise<JsonObject | undefined>;
  /** All answers of a call, by key. */
  answers(callId: string): Promise<CallAnswer[]>;
  get(callId: string): Promise<CallRecord | undefined>;
  /** Oldest first. */
  list(filter?: CallFilter): Promise<CallRecord[]>;
  /** Forgets calls acknowledged at or before this time. */
  sweep(ackedBefore: number): Promise<number>;
  close(): Promise<void>;
}
