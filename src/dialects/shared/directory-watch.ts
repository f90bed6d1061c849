/**
 * Hears that something happened in a directory, as soon as the system tells and at the latest after an interval.
 *
 * The directory is watched, not the file: a file that is replaced takes its watch with it. Watching is a hint that some
 * file systems never give, so the interval goes on beside it, and looks whether the watch is still on the right directory.
 */
import { type FSWatcher, statSync, watch } from 'node:fs';
import type { Clock } from '../../clock.ts';

export interface DirectoryWatchOptions {
  readonly clock: Clock;
  readonly isWatching: boolean;
  /** The file that matters; what happens to its neighbours is nobody's business. */
  readonly name: string;
  intervalMs(): number;
  onHint(): void;
}

export class DirectoryWatch {
  readonly #directory: string;
  readonly #options: DirectoryWatchOptions;
  #watcher: FSWatcher | undefined;
  #watched = '';
  #stopTimer: () => void = () => {};
  #isClosed = false;

  constructor(directory: string, options: DirectoryWatchOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#watch();
    this.rearm();
  }

  /** Starts the interval anew, after it has changed. */
  rearm(): void {
    this.#stopTimer();
    if (this.#isClosed) return;
    this.#stopTimer = this.#options.clock.after(this.#options.intervalMs(), () => {
      this.#watch();
      this.#options.onHint();
      this.rearm();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
    this.#unwatch();
  }

  #watch(): void {
    if (!this.#options.isWatching) return;
    const id = toDirectoryId(this.#directory);
    if (id === this.#watched) return;
    this.#unwatch();
    if (id === '') return;
    try {
      this.#watcher = watch(this.#directory, { persistent: false }, (_event, name) => {
        if (name === null || name === this.#options.name) this.#options.onHint();
      });
      this.#watcher.on('error', () => this.#unwatch());
      this.#watched = id;
    } catch {
      // No watches left, or a file system without: the interval finds everything, only later.
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = '';
  }
}

function toDirectoryId(directory: string): string {
  const found = statSync(directory, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : '';
}
