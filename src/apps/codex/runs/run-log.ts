/** Copies the events of a run from the task's history into the log of its window. */

import { isObject } from '../../../app-kit/index.ts';
import { formatRunEvent, toGapEvent, toRunEvent } from '../../../dialects/stream/index.ts';
import { type EventGap, type Json, OPERATOR, type TaskClient, type TaskEvent } from '../../../index.ts';
import type { CodexState, LogEntry } from '../state.ts';
import { BOUNDS } from '../state-bounds.ts';
import type { StateFile } from '../state-file.ts';
import { findTodoList, type JsonObject } from './codex-event.ts';

export interface LoggedRun {
  readonly runId: string;
  readonly windowId: string;
}

/**
 * Logs the events of a task, from the first one not in the log yet to the last. Resolves when the task has ended; the last
 * entries may not be in the file yet.
 */
export async function logRun(access: TaskClient, state: StateFile, run: LoggedRun): Promise<void> {
  const { runs } = await state.read();
  const afterSeq = runs.find(({ id }) => id === run.runId)?.lastSeq ?? 0;
  const log = new RunLog(state, run);
  for await (const event of access.watch(run.runId, { principal: OPERATOR, afterSeq })) log.add(event);
}

/** Collects entries until they are written; drops those that the log would trim immediately. */
class RunLog {
  readonly #state: StateFile;
  readonly #run: LoggedRun;
  #entries: LogEntry[] = [];
  #isPlanned = false;

  constructor(state: StateFile, run: LoggedRun) {
    this.#state = state;
    this.#run = run;
  }

  add(event: TaskEvent | EventGap): void {
    const shown = event.type === 'gap' ? toGapEvent(event, Date.now()) : toRunEvent(event);
    if (!shown) return;
    const entry: LogEntry = { ...shown, runId: this.#run.runId };
    this.#entries.push(entry);
    if (this.#entries.length > 2 * BOUNDS.events) this.#entries = this.#entries.slice(-BOUNDS.events);
    if (isObject<Json>(entry.event)) this.#updateTodoList(entry.event);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#state.change((state) => {
      this.#isPlanned = false;
      const entries = this.#entries;
      this.#entries = [];
      appendLog(state, this.#run, entries);
    });
  }

  #updateTodoList(event: JsonObject): void {
    const { windowId } = this.#run;
    const todo = findTodoList(event);
    if (!todo) return;
    this.#state.change((state) => {
      state.windowTasks[windowId] = { todoList: todo.items, todoListId: todo.id, updatedAt: new Date().toISOString() };
    });
  }
}

/** Two processes may log the same run, one after the other: entries that already exist are skipped. */
export function appendLog(state: CodexState, { runId, windowId }: LoggedRun, entries: readonly LogEntry[]): void {
  const run = state.runs.find(({ id }) => id === runId);
  const last = run?.lastSeq ?? 0;
  const fresh = entries.filter(({ seq }) => seq > last);
  if (fresh.length === 0) return;
  const updatedAt = new Date().toISOString();
  const log = state.windowLogs[windowId] ?? { events: [], lines: [], updatedAt };
  state.windowLogs[windowId] = log;
  log.updatedAt = updatedAt;
  for (const entry of fresh) {
    log.events.push(entry);
    log.lines.push(formatRunEvent(entry));
  }
  if (run) run.lastSeq = fresh.at(-1)?.seq ?? last;
}
