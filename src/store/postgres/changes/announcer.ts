/**
 * Tells other processes that something was committed, by NOTIFY.
 *
 * Not in the transaction itself: NOTIFY lets all transactions of the database commit one after the other. What is
 * committed while a hint is on its way shares the next one. While this process is the only one that listens, none is sent.
 */
import type { Connection } from '../connection.ts';

/** Tells a channel. A hint need not outlive a power cut, so it does not wait for the disk. */
export const TELL = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

export class Announcer {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #self: string;
  #isDue = false;
  #telling: Promise<void> | undefined;

  constructor(connection: Connection, channel: string, self: string) {
    this.#connection = connection;
    this.#channel = channel;
    this.#self = self;
  }

  touch(): void {
    this.#isDue = true;
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#telling;
  }

  async #tell(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      // A hint that is lost is made up for by the others' polls.
      await this.#connection.read(TELL, this.#channel, this.#self).catch(() => {});
    }
  }
}
