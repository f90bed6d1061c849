/**
 * The file of a ledger, as its keeper sees it while no host is there.
 *
 * Calls are asked for by hosts that found them in it. When it is gone, nobody can ever ask.
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

  /** Looks at it once more. Whoever puts a copy in its place may take it away for a moment: so it is gone on the second look. */
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
    // Nor can anybody else come to it.
    return undefined;
  }
}
