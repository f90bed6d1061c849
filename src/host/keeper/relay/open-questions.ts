/** What the server has asked and nobody has answered: each is put to one host, and to the next when that one is gone. */
import { HOST_MAX_OPEN_QUESTIONS } from '../../../limits.ts';
import { RPC_CODES } from '../../../rpc-codes.ts';
import { type Message, toLine } from './message.ts';
import type { RelayClient } from './relay-client.ts';

type Id = string | number;

interface Question {
  readonly line: string;
  client: RelayClient | undefined;
  readonly callId: string | undefined;
  /** Whether it came on the connection of that call, and of no other. */
  readonly isNamed: boolean;
}

export class OpenQuestions {
  readonly #questions = new Map<Id, Question>();

  /** What the server is answered at once: it only wanted a sign of life, or asks too much. */
  toRefusal({ id = 0, method }: Message, hosts: number): string | undefined {
    const { size } = this.#questions;
    if (method === 'ping') return toLine({ id, result: {} });
    if (size < HOST_MAX_OPEN_QUESTIONS * Math.max(1, hosts)) return undefined;
    const error = { code: RPC_CODES.INTERNAL_ERROR, message: `${size} questions are open; ask later` };
    return toLine({ id, error });
  }

  /** Puts a question to a host if one is there; otherwise it waits for the next. */
  add(message: Message, question: Omit<Question, 'line'>): void {
    const { id = 0 } = message;
    const asked = { ...question, line: toLine(message) };
    this.#questions.set(id, asked);
    if (asked.client) put(asked.client, id, asked);
  }

  /** Puts to a host that has taken up a call what nobody has been asked. */
  give(client: RelayClient, taken: string): void {
    for (const [id, question] of this.#questions) {
      const { callId } = question;
      if (question.client || (callId !== undefined && callId !== taken)) continue;
      question.client = client;
      put(client, id, question);
    }
  }

  /** Whether this host was asked, and its answer is the first. */
  take(client: RelayClient, id: Id | undefined): boolean {
    if (id === undefined || this.#questions.get(id)?.client !== client) return false;
    return this.#questions.delete(id);
  }

  /** The server does not want to know any more. */
  withdraw(id: unknown, line: string): void {
    const question = this.#questions.get(id as Id);
    this.#questions.delete(id as Id);
    question?.client?.message(line);
  }

  /** The host is gone. */
  leave(client: RelayClient): void {
    for (const question of this.#questions.values()) if (question.client === client) question.client = undefined;
  }

  /** The connection that they came on is gone. */
  forget(callId: string): void {
    for (const [id, question] of this.#questions) {
      if (question.isNamed && question.callId === callId) this.#questions.delete(id);
    }
  }
}

function put(client: RelayClient, id: Id, { line, callId, isNamed }: Question): void {
  if (isNamed && callId !== undefined) client.word({ word: 'asks', id, callId });
  client.message(line);
}
