/** Groups journal entries by call, and collects the faults. */

import type { JournalEntry } from '../../apps/chaos/journal.ts';
import type { Evidence, StoredTask } from './evidence.ts';

type Of<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>;
export type FaultEntry = Of<'fault'>;
export type ActEntry = Extract<JournalEntry, { readonly attempt: number }>;

/** All that is known of one call, in order of time. */
export interface CallHistory {
  readonly callId: string;
  readonly asked: Of<'asked'>[];
  readonly acknowledged: Of<'acknowledged'>[];
  readonly refused: Of<'refused'>[];
  readonly delivered: Of<'delivered'>[];
  readonly taken: Of<'taken'>[];
  readonly begun: ActEntry[];
  readonly finished: ActEntry[];
  readonly step: Of<'step' | 'stepped'>[];
  readonly stepped: Of<'step' | 'stepped'>[];
  readonly tasks: StoredTask[];
}

export interface JudgeInput {
  readonly calls: readonly CallHistory[];
  readonly faults: readonly FaultEntry[];
  /** Pids in which a poison task's body ran, with the time; such a process may die or hang at any time after it. */
  readonly poisonedAt: ReadonlyMap<number, number>;
  /** Whether the store could be read. */
  readonly hasStore: boolean;
}

/** Faults that harm their target process, so that its work may be cut off. */
const HARMS = ['kill', 'term', 'stop'];

export function isHarm({ fault }: FaultEntry): boolean {
  return HARMS.includes(fault);
}

export function toJudgeInput({ journal, tasks }: Evidence): JudgeInput {
  const calls = new Map<string, CallHistory>();
  const faults: FaultEntry[] = [];
  for (const entry of journal) {
    if (entry.kind === 'fault') faults.push(entry);
    else (findOrAdd(calls, entry.callId)[entry.kind] as JournalEntry[]).push(entry);
  }
  for (const task of tasks ?? []) findOrAdd(calls, task.callId).tasks.push(task);
  const all = [...calls.values()];
  return { calls: all, faults, poisonedAt: findPoisoned(all), hasStore: tasks !== undefined };
}

function findOrAdd(calls: Map<string, CallHistory>, callId: string): CallHistory {
  const found = calls.get(callId);
  if (found) return found;
  const call: CallHistory = {
    callId,
    asked: [],
    acknowledged: [],
    refused: [],
    delivered: [],
    taken: [],
    begun: [],
    finished: [],
    step: [],
    stepped: [],
    tasks: [],
  };
  calls.set(callId, call);
  return call;
}

function findPoisoned(calls: readonly CallHistory[]): ReadonlyMap<number, number> {
  const poisoned = new Map<number, number>();
  for (const { asked, begun } of calls) {
    if (!asked.some(({ poison }) => poison === 'segfault' || poison === 'exit')) continue;
    for (const { pid, at } of begun) poisoned.set(pid, Math.min(at, poisoned.get(pid) ?? at));
  }
  return poisoned;
}

/** Whether the call may be repeated, according to its caller or to the store. */
export function isRepeatable({ asked, tasks }: CallHistory): boolean {
  return asked.some(({ repeatable }) => repeatable) || tasks.some(({ idempotent }) => idempotent);
}

export function isPoison({ asked }: CallHistory): boolean {
  return asked.some(({ poison }) => poison !== undefined);
}
