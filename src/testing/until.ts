import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { isTerminal, type Status } from '../task/status.ts';

/** How long to wait, and for what. */
export interface UntilOptions {
  /** Long enough for a machine that is busy with other work. @default 60_000 */
  readonly timeoutMs?: number;
  /** What is waited for, used in the error message. @default the source text of the probe */
  readonly what?: string;
}

// The longer the wait, the less often the probe is polled: many concurrent waits would otherwise take a whole core.
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 25;
const PAUSE_OF_WAITED = 0.05;
const MAX_TEXT = 120;

/**
 * Waits until a probe yields something truthy, and returns that.
 *
 * A probe that throws has not seen its state yet; its last error is the cause when time runs out.
 */
export async function until<T>(probe: () => T | Promise<T>, options: UntilOptions = {}): Promise<Seen<T>> {
  const { timeoutMs = 60_000, what = toText(probe) } = options;
  const since = performance.now();
  for (;;) {
    const tried = await attempt(probe);
    if (tried.seen) return tried.seen as Seen<T>;
    const waitedMs = performance.now() - since;
    if (waitedMs >= timeoutMs) {
      const last = 'error' in tried ? 'the probe threw' : `the probe saw ${inspect(tried.seen)}`;
      throw new Error(`Waited ${timeoutMs} ms for ${what}; at the end ${last}`, { cause: tried.error });
    }
    await pause(Math.min(Math.max(waitedMs * PAUSE_OF_WAITED, FIRST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
}

/** The source text of a probe, on one line. */
function toText(probe: () => unknown): string {
  const text = String(probe).replaceAll(/\s+/g, ' ');
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** What `until` can return: the probe's value without its falsy part. */
export type Seen<T> = Exclude<T, undefined | null | false | 0 | ''>;

/** A source of task statuses, such as an engine. */
export interface StatusSource<T extends { readonly status: Status }> {
  get(taskId: string): Promise<T | undefined>;
}

/** Waits until a task has a status. Fails at once when it has ended with another one. */
export async function untilStatus<T extends { readonly status: Status }>(
  source: StatusSource<T>,
  taskId: string,
  status: Status,
): Promise<T> {
  let last: Status | undefined;
  const task = await until(
    async () => {
      const found = await source.get(taskId);
      last = found?.status;
      return found && (found.status === status || isTerminal(found.status)) ? found : undefined;
    },
    { what: `task ${taskId} to be ${status}` },
  ).catch((error: unknown) => {
    throw new Error(`Task ${taskId} did not become ${status}; it is ${last ?? 'not there'}`, { cause: error });
  });
  if (task.status === status) return task;
  throw new Error(`Task ${taskId} cannot become ${status}; it has ended as ${task.status}`);
}

async function attempt<T>(probe: () => T | Promise<T>): Promise<{ seen?: T; error?: unknown }> {
  try {
    return { seen: await probe() };
  } catch (error) {
    return { error };
  }
}
