/**
 * Follows a run with only the state file of its app.
 *
 * The file is read when the system reports a change, and also at an interval. A read that finds no state, because the
 * file is missing, being written or damaged, is ignored: a later one finds it.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../../../clock.ts';
import { invalidField } from '../../../invalid-field.ts';
import { DirectoryWatch } from '../../shared/directory-watch.ts';
import { formatRunEvent } from '../format-event.ts';
import { LogCursor, type NewInLog } from './log-cursor.ts';
import { type LoggedEvent, type RunName, type RunState, readRunState } from './run-state.ts';

/** Which run is watched, where, and for how long. */
export interface WatchRunOptions extends RunName {
  /** The app's `codex_app_state.v1.json`. */
  readonly file: string;
  /** How often the file is checked without a change event, in ms, 200 to 500. @default $STREAM_POLL_MS, else 400 */
  readonly pollMs?: number;
  /** The longest wait, in ms. @default $STREAM_TIMEOUT_MS, else half an hour */
  readonly timeoutMs?: number;
  /** Ends the watch, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** What is observed of a run. */
export type WatchedRun =
  | { readonly type: 'event'; readonly event: LoggedEvent; readonly text: string }
  | Extract<NewInLog, { type: 'gap' }>
  | { readonly type: 'done'; readonly status: string; readonly finishedAt: string }
  | { readonly type: 'timeout' };

const POLL = { min: 200, max: 500, default: 400 };
const TIMEOUT_MS = 30 * 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Yields every event of a run once, then how it ended, or that it took too long. */
export async function* watchRun(options: WatchRunOptions): AsyncGenerator<WatchedRun, void, undefined> {
  const { timeoutMs, pollMs, clock, signal } = parseOptions(options);
  const bell = new Bell();
  const file = resolve(options.file);
  const reader = new StateFileReader(file, options);
  const watch = new DirectoryWatch(dirname(file), {
    clock,
    isWatching: true,
    name: basename(file),
    intervalMs: () => pollMs,
    onHint: () => bell.ring(),
  });
  let isLate = false;
  const stopTimer = clock.after(timeoutMs, () => {
    isLate = true;
    bell.ring();
  });
  const onAbort = () => bell.ring();
  signal?.addEventListener('abort', onAbort);
  // Our timers and watches do not keep the process alive, but a caller waits for this one.
  const alive = setInterval(() => {}, MAX_TIMER_MS);
  const cursor = new LogCursor();
  let hasEnded = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const state = await reader.take();
      if (state) for (const found of cursor.take(state)) yield toWatched(found);
      // The last events may be written after the end: the file is read once more for them.
      if (state?.end && (hasEnded || isLate)) return yield { type: 'done', ...state.end };
      hasEnded = state?.end !== undefined;
      if (isLate) return yield { type: 'timeout' };
      await bell.wait();
      if (hasEnded) reader.forget();
    }
  } finally {
    clearInterval(alive);
    stopTimer();
    watch.close();
    signal?.removeEventListener('abort', onAbort);
  }
}

function toWatched(found: NewInLog): WatchedRun {
  return found.type === 'gap' ? found : { ...found, text: formatRunEvent(found.event) };
}

/** Reads the file when it has changed. */
class StateFileReader {
  readonly #file: string;
  readonly #name: RunName;
  #stamp = '';
  #runId: string | undefined;

  constructor(file: string, name: RunName) {
    this.#file = file;
    this.#name = name;
  }

  /** Makes the next `take` read the file, changed or not. */
  forget(): void {
    this.#stamp = '';
  }

  async take(): Promise<RunState | undefined> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.#file, 'r');
      const { dev, ino, size, mtimeNs } = await handle.stat({ bigint: true });
      const stamp = [dev, ino, size, mtimeNs].join(':');
      if (stamp === this.#stamp) return undefined;
      const state = readRunState(await handle.readFile('utf8'), this.#name, this.#runId);
      this.#stamp = stamp;
      this.#runId = state.runId;
      return state;
    } catch {
      // Missing, half written or not a state: the next read may find one.
      return undefined;
    } finally {
      await handle?.close().catch(() => {});
    }
  }
}

/** Wakes the waiter; a ring without a waiter wakes the next one at once. */
class Bell {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    if (!this.#isRung) await new Promise<void>((wake) => (this.#wake = wake));
    this.#wake = undefined;
    this.#isRung = false;
  }
}

interface Parsed {
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

// Parsed by hand: a program that follows a run from its state file must not load zod.
function parseOptions({ clock = systemClock, signal, ...options }: WatchRunOptions): Parsed {
  if (typeof options.file !== 'string' || options.file === '') throw invalidField('file', options.file, 'a path');
  const { taskId, windowId, requestedAt } = options;
  if (taskId === undefined && (windowId === undefined || requestedAt === undefined)) {
    throw invalidField('the run', { taskId, windowId, requestedAt }, 'a taskId, or a windowId with requestedAt');
  }
  const pollMs = toMs('pollMs', options.pollMs ?? fromEnv('STREAM_POLL_MS')) ?? POLL.default;
  const timeoutMs = toMs('timeoutMs', options.timeoutMs ?? fromEnv('STREAM_TIMEOUT_MS')) ?? TIMEOUT_MS;
  return { pollMs: Math.min(POLL.max, Math.max(POLL.min, pollMs)), timeoutMs, clock, signal };
}

/** A variable that is not a number is ignored. */
function fromEnv(name: string): number | undefined {
  const value = Number(process.env[name] || Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

function toMs(field: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return value;
  throw invalidField(field, value, 'a number of ms from 0 up');
}
