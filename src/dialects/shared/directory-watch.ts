/**
 * Watches a directory, and calls back as soon as the system reports a change and at the latest after an interval.
 *
 * The directory is watched, not the file: a file that is replaced takes its watch with it. Watch events are hints that
 * some file systems never give, so the interval continues in parallel, and checks that the watch is still on the right
 * directory.
 */
import { type FSWatcher, statSync, watch } from 'node:fs';
import type { Clock } from '../../clock.ts';

export interface DirectoryWatchOptions {
  readonly clock: Clock;
  readonly isWatching: boolean;
  /** The file of interest; changes of its neighbours are ignored. */
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

  /** Restarts the interval, after it has changed. */
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
      // No watches available, or a file system without them: the interval finds every change, only later.
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
