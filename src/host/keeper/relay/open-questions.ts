/** The open questions of the server: each is sent to one host, and to the next one when that host is gone. */
import { HOST_MAX_OPEN_QUESTIONS } from '../../../limits.ts';
import { RPC_CODES } from '../../../rpc-codes.ts';
import { type Message, toLine } from './message.ts';
import type { RelayClient } from './relay-client.ts';

type Id = string | number;

interface Question {
  readonly line: string;
  client: RelayClient | undefined;
  readonly callId: string | undefined;
  /** Whether the question arrived on the connection of that call only. */
  readonly isNamed: boolean;
}

export class OpenQuestions {
  readonly #questions = new Map<Id, Question>();

  /** Returns an immediate response to the server: to a `ping`, or an error when too many questions are open. */
  toImmediateResponse({ id = 0, method }: Message, hosts: number): string | undefined {
    const { size } = this.#questions;
    if (method === 'ping') return toLine({ id, result: {} });
    if (size < HOST_MAX_OPEN_QUESTIONS * Math.max(1, hosts)) return undefined;
    const error = { code: RPC_CODES.INTERNAL_ERROR, message: `${size} questions are open; ask later` };
    return toLine({ id, error });
  }

  /** Sends a question to its host if there is one; otherwise it waits for the next host. */
  add(message: Message, question: Omit<Question, 'line'>): void {
    const { id = 0 } = message;
    const asked = { ...question, line: toLine(message) };
    this.#questions.set(id, asked);
    if (asked.client) sendQuestion(asked.client, id, asked);
  }

  /** Sends the questions that no host has to the host that took over a call. */
  assign(client: RelayClient, taken: string): void {
    for (const [id, question] of this.#questions) {
      const { callId } = question;
      if (question.client || (callId !== undefined && callId !== taken)) continue;
      question.client = client;
      sendQuestion(client, id, question);
    }
  }

  /** Whether this host has the question and its answer is the first; the question is then closed. */
  closeIfOwned(client: RelayClient, id: Id | undefined): boolean {
    if (id === undefined || this.#questions.get(id)?.client !== client) return false;
    return this.#questions.delete(id);
  }

  /** The server cancelled the question. */
  withdraw(id: unknown, line: string): void {
    const question = this.#questions.get(id as Id);
    this.#questions.delete(id as Id);
    question?.client?.sendMessage(line);
  }

  /** The host is gone: its questions wait for another one. */
  release(client: RelayClient): void {
    for (const question of this.#questions.values()) if (question.client === client) question.client = undefined;
  }

  /** The connection on which the questions arrived is gone. */
  forget(callId: string): void {
    for (const [id, question] of this.#questions) {
      if (question.isNamed && question.callId === callId) this.#questions.delete(id);
    }
  }
}

function sendQuestion(client: RelayClient, id: Id, { line, callId, isNamed }: Question): void {
  if (isNamed && callId !== undefined) client.sendControl({ word: 'asks', id, callId });
  client.sendMessage(line);
}
