/**
 * Which questions one client has before it.
 *
 * - free:  nobody has asked it, the stream that carried it was lost, or its answer could not be used.
 * - asked: a stream carried it, or is about to. Nobody asks it meanwhile.
 *
 * All streams of a client share one record, so it is asked once, on whichever stream comes first.
 */

import type { ClientName } from '../../../task/actor.ts';

/** A request of ours that asks a question. */
export interface QuestionRef {
  readonly taskId: string;
  readonly key: string;
  /** How often the question has been put to a client that gave no answer of use, and now once more: from 1. */
  readonly turn: number;
}

/** What a question is asked with. */
export interface Asking {
  readonly id: string;
  /** Why the last answer could not be used. */
  readonly complaint?: string;
}

interface LastTurn {
  readonly turn: number;
  /** Why its answer could not be used; nothing when it says nothing of the answer that is wanted. */
  readonly complaint?: string;
}

interface Asked {
  readonly id: string;
  sentAt?: number;
}

/** What the client of one connection has been asked and has not answered yet. */
export class AskedQuestions {
  readonly #asked = new Map<string, Asked>();
  readonly #turns = new Map<string, LastTurn>();
  readonly #listeners = new Set<(taskId: string) => void>();
  readonly #onUnshown = new Map<string, Set<() => void>>();
  readonly #monotonic: () => number;
  #readClient: () => ClientName | undefined = () => undefined;
  #isHeadless = false;

  /** @param monotonic ms that never jump */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** The client has been found to answer by itself what its user should have been asked. */
  get isHeadless(): boolean {
    return this.#isHeadless;
  }

  learnHeadless(): void {
    this.#isHeadless = true;
  }

  /** Who is asked, as it calls itself. */
  get client(): ClientName | undefined {
    return this.#readClient();
  }

  /** To be called by whoever hears the client's name. */
  learnClient(read: () => ClientName | undefined): void {
    this.#readClient = read;
  }

  /** How to ask a question that is free; nothing when the client has it before it. */
  take(taskId: string, key: string): Asking | undefined {
    const address = toAddress({ taskId, key });
    if (this.#asked.has(address)) return undefined;
    const { turn, ...last } = this.#turns.get(address) ?? { turn: 0 };
    const id = toQuestionId({ taskId, key, turn: turn + 1 });
    this.#asked.set(address, { id });
    return { id, ...last };
  }

  /** The request has left. */
  sent(id: string): void {
    const asked = this.#find(id);
    if (asked) asked.sentAt ??= this.#monotonic();
  }

  /** Ms since the request left; nothing when it was not sent from here, or is not before the client any more. */
  afterMs(id: string): number | undefined {
    const asked = this.#find(id);
    if (!asked) return undefined;
    // Its answer may overtake the news that it has left.
    return asked.sentAt === undefined ? 0 : this.#monotonic() - asked.sentAt;
  }

  /** The request did not go out. */
  release(id: string): boolean {
    const question = parseQuestionId(id);
    return question !== undefined && this.#find(id) !== undefined && this.#asked.delete(toAddress(question));
  }

  /** Calls back when a question of the task turns out to have been shown to nobody. */
  onUnshown(taskId: string, listener: () => void): () => void {
    const listeners = this.#onUnshown.get(taskId) ?? new Set();
    this.#onUnshown.set(taskId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#onUnshown.delete(taskId);
    };
  }

  /** The question was shown to nobody. False when nobody here could put it in another way. */
  hide(id: string): boolean {
    const listeners = this.#onUnshown.get(parseQuestionId(id)?.taskId ?? '');
    if (!listeners) return false;
    this.#isHeadless = true;
    this.release(id);
    for (const listener of [...listeners]) listener();
    return true;
  }

  /** The stream that carried these requests is gone: whether they arrived is not known. */
  lose(ids: Iterable<string>): void {
    const freed = new Set<string>();
    for (const id of ids) if (this.release(id)) freed.add(parseQuestionId(id)?.taskId ?? '');
    for (const taskId of freed) this.#tell(taskId);
  }

  /** The answer to this request could not be used: it is asked once more, with the complaint if there is one. */
  askAgain(id: string, complaint?: string): void {
    const question = parseQuestionId(id);
    if (!question) return;
    const address = toAddress(question);
    // The answer to an earlier request says nothing of the one that is before the client now.
    if ((this.#asked.get(address)?.id ?? id) !== id) return;
    this.#asked.delete(address);
    this.#turns.set(address, { turn: question.turn, ...(complaint !== undefined && { complaint }) });
    this.#tell(question.taskId);
  }

  /** Calls back with the task of each question that is free again. */
  onFree(listener: (taskId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #find(id: string): Asked | undefined {
    const question = parseQuestionId(id);
    const asked = question && this.#asked.get(toAddress(question));
    return asked?.id === id ? asked : undefined;
  }

  #tell(taskId: string): void {
    for (const listener of [...this.#listeners]) listener(taskId);
  }
}

/** The id of a request that asks a question: whoever receives the answer knows where it belongs. */
export function toQuestionId({ taskId, key, turn }: QuestionRef): string {
  // An id may not be used for a second request, so a further turn shows in it.
  return `holdfast${turn === 1 ? '' : `/${turn}`}:${taskId}:${key}`;
}

/** Reads the id of a request of ours; nothing when it is none. */
export function parseQuestionId(id: unknown): QuestionRef | undefined {
  const match = typeof id === 'string' ? /^holdfast(?:\/(\d{1,3}))?:([^:]+):(.+)$/s.exec(id) : null;
  return match?.[2] && match[3] ? { taskId: match[2], key: match[3], turn: Number(match[1] ?? 1) } : undefined;
}

function toAddress({ taskId, key }: { readonly taskId: string; readonly key: string }): string {
  return `${taskId}:${key}`;
}
