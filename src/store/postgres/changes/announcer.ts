/**
 * Notifies other processes of commits, with NOTIFY.
 *
 * Not in the transaction itself: NOTIFY makes all transactions of the database commit one after the other. Commits made
 * while a hint is being sent share the next one. While no other process listens, none is sent.
 */
import type { Connection } from '../connection.ts';

/** Sends a NOTIFY. A hint need not survive a power cut, so it does not wait for the disk. */
export const NOTIFY_SQL = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

export class Announcer {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #self: string;
  #isDue = false;
  #announcing: Promise<void> | undefined;

  constructor(connection: Connection, channel: string, self: string) {
    this.#connection = connection;
    this.#channel = channel;
    this.#self = self;
  }

  announceSoon(): void {
    this.#isDue = true;
    this.#announcing ??= this.#announce().finally(() => {
      this.#announcing = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#announcing;
  }

  async #announce(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      // Other processes poll, which makes up for a lost hint.
      await this.#connection.read(NOTIFY_SQL, this.#channel, this.#self).catch(() => {});
    }
  }
}
