import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_OPEN_ANSWERS } from '../../limits.ts';

/**
 * Counts the answers to a server that are on their way.
 *
 * A server may ask as fast as it can write, and need not read. Each answer to it takes memory on stdio and a connection
 * over HTTP, so beyond a limit it gets none. Requests of ours are not counted: somebody waits for each of them.
 */
export class OpenAnswers {
  #open = 0;

  async send(message: JSONRPCMessage | readonly JSONRPCMessage[], send: () => Promise<void>): Promise<void> {
    if (Array.isArray(message) || 'method' in message) return send();
    if (this.#open >= HOST_MAX_OPEN_ANSWERS) {
      throw new TaskError('QUEUE_FULL', `the server has ${this.#open} answers that it does not read; it gets no more`);
    }
    this.#open += 1;
    try {
      await send();
    } finally {
      this.#open -= 1;
    }
  }
}
