/**
 * Checks, while no host is connected, whether the ledger file still exists.
 *
 * Hosts ask only for calls that they found in it. When it is gone, no host can ever ask.
 */
import { type Stats, statSync } from 'node:fs';

export class LedgerFile {
  readonly #path: string;
  readonly #file: Stats | undefined;
  #wasMissing = false;

  constructor(path: string) {
    this.#path = path;
    this.#file = statOrUndefined(path);
  }

  /**
   * Checks the file again. Replacing it with a copy may remove it for a moment, so it counts as gone only on the second check.
   */
  isGone(): boolean {
    const now = statOrUndefined(this.#path);
    const isMissing = now === undefined || now.dev !== this.#file?.dev || now.ino !== this.#file.ino;
    const isGone = isMissing && this.#wasMissing;
    this.#wasMissing = isMissing;
    return isGone;
  }
}

function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // If it cannot be accessed here, hosts cannot access it either.
    return undefined;
  }
}
