/**
 * Checks, while no host is connected, whether the ledger file still exists.
 *
 * Hosts ask only for calls that they found in it. When it is gone, no host can ever ask.
 */
import { type Stats, statSync } from 'node:fs';

export class LedgerFile {
  readonly #path: string;
  readonly #file: Stats | undefined;
  #wasAway = false;

  constructor(path: string) {
    this.#path = path;
    this.#file = look(path);
  }

  /**
   * Checks the file again. Replacing it with a copy may remove it for a moment, so it counts as gone only on the second check.
   */
  isGone(): boolean {
    const now = look(this.#path);
    const isAway = now === undefined || now.dev !== this.#file?.dev || now.ino !== this.#file.ino;
    const isGone = isAway && this.#wasAway;
    this.#wasAway = isAway;
    return isGone;
  }
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // If it cannot be accessed here, hosts cannot access it either.
    return undefined;
  }
}
