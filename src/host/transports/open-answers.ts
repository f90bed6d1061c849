import { TaskError } from '../../errors.ts';
import { HOST_MAX_OPEN_ANSWERS } from '../../limits.ts';

/**
 * Limits the answers to a server that are in flight.
 *
 * A server may send requests as fast as it can write, without reading. Each answer to it takes memory on stdio and a connection
 * over HTTP, so above the limit it gets none.
 */
export class OpenAnswers {
  #open = 0;

  async send(send: () => Promise<void>): Promise<void> {
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
