/**
 * The questions that one client has been sent.
 *
 * - free:  not asked yet, the stream that carried it was lost, or its answer could not be used.
 * - asked: a stream carried it, or is about to. It is not asked again meanwhile.
 *
 * All streams of a client share one record, so a question is asked once, on whichever stream comes first.
 */

import type { ClientName } from '../../../task/actor.ts';

/** A server request that asks a question. */
export interface QuestionRef {
  readonly taskId: string;
  readonly key: string;
  /** How often the question has been put to the client, this time included: from 1. Earlier answers were not usable. */
  readonly turn: number;
}

/** The request that asks a question. */
export interface Asking {
  readonly id: string;
  /** Why the last answer could not be used. */
  readonly complaint?: string;
}

interface LastTurn {
  readonly turn: number;
  /** Why its answer could not be used; absent when that would not help the client to answer. */
  readonly complaint?: string;
}

interface Asked {
  readonly id: string;
  sentAt?: number;
}

/** The questions that the client of one connection has been asked and has not answered yet. */
export class AskedQuestions {
  readonly #asked = new Map<string, Asked>();
  readonly #turns = new Map<string, LastTurn>();
  readonly #listeners = new Set<(taskId: string) => void>();
  readonly #onUnshown = new Map<string, Set<() => void>>();
  readonly #monotonic: () => number;
  #readClient: () => ClientName | undefined = () => undefined;
  #isHeadless = false;

  /** @param monotonic returns ms that never jump */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** Whether the client was found to answer by itself what its user should have been asked. */
  get isHeadless(): boolean {
    return this.#isHeadless;
  }

  learnHeadless(): void {
    this.#isHeadless = true;
  }

  /** The client that is asked, by the name it reports. */
  get client(): ClientName | undefined {
    return this.#readClient();
  }

  /** Called with how to read the client's name, once it is known. */
  learnClient(read: () => ClientName | undefined): void {
    this.#readClient = read;
  }

  /** Returns how to ask a question that is free, and marks it as asked; undefined when the client already has it. */
  take(taskId: string, key: string): Asking | undefined {
    const address = toAddress({ taskId, key });
    if (this.#asked.has(address)) return undefined;
    const { turn, ...last } = this.#turns.get(address) ?? { turn: 0 };
    const id = toQuestionId({ taskId, key, turn: turn + 1 });
    this.#asked.set(address, { id });
    return { id, ...last };
  }

  /** Records that the request was sent. */
  sent(id: string): void {
    const asked = this.#find(id);
    if (asked) asked.sentAt ??= this.#monotonic();
  }

  /** Returns the ms since the request was sent; undefined when it was not sent from here, or is no longer open at the client. */
  afterMs(id: string): number | undefined {
    const asked = this.#find(id);
    if (!asked) return undefined;
    // The answer can arrive before `sent` is called.
    return asked.sentAt === undefined ? 0 : this.#monotonic() - asked.sentAt;
  }

  /** Frees a question whose request was not sent. */
  release(id: string): boolean {
    const question = parseQuestionId(id);
    return question !== undefined && this.#find(id) !== undefined && this.#asked.delete(toAddress(question));
  }

  /** Calls back when it turns out that a question of the task was not shown to any person. */
  onUnshown(taskId: string, listener: () => void): () => void {
    const listeners = this.#onUnshown.get(taskId) ?? new Set();
    this.#onUnshown.set(taskId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#onUnshown.delete(taskId);
    };
  }

  /** The question was not shown to any person. False when no listener here can ask it in another form. */
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
    for (const taskId of freed) this.#notifyFree(taskId);
  }

  /** The answer to this request could not be used: the question is asked again, with the complaint if there is one. */
  askAgain(id: string, complaint?: string): void {
    const question = parseQuestionId(id);
    if (!question) return;
    const address = toAddress(question);
    // The answer to an earlier request says nothing about the request that is open at the client now.
    if ((this.#asked.get(address)?.id ?? id) !== id) return;
    this.#asked.delete(address);
    this.#turns.set(address, { turn: question.turn, ...(complaint !== undefined && { complaint }) });
    this.#notifyFree(question.taskId);
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

  #notifyFree(taskId: string): void {
    for (const listener of [...this.#listeners]) listener(taskId);
  }
}

/** Returns the id of a request that asks a question. It holds the question's address, so any process can place the answer. */
export function toQuestionId({ taskId, key, turn }: QuestionRef): string {
  // A request id may not be used twice, so it contains the turn from the second on.
  return `holdfast${turn === 1 ? '' : `/${turn}`}:${taskId}:${key}`;
}

/** Parses the id of a server request; undefined when it is not one of ours. */
export function parseQuestionId(id: unknown): QuestionRef | undefined {
  const match = typeof id === 'string' ? /^holdfast(?:\/(\d{1,3}))?:([^:]+):(.+)$/s.exec(id) : null;
  return match?.[2] && match[3] ? { taskId: match[2], key: match[3], turn: Number(match[1] ?? 1) } : undefined;
}

function toAddress({ taskId, key }: { readonly taskId: string; readonly key: string }): string {
  return `${taskId}:${key}`;
}
