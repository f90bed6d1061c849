/** Journals made by hand: entries with times that rise by 100 ms unless they are given. */

import type { DeliveredOutcome, JournalBody, JournalEntry, Writer } from '../../../src/apps/chaos/journal.ts';
import type { Evidence, StoredTask } from '../../../src/campaign/chaos/evidence.ts';

type Line = JournalBody & { readonly at?: number; readonly pid?: number; readonly by?: Writer };

/** Who writes an entry of this kind when nobody else is named. */
const WRITERS = {
  asked: 'submitter',
  acknowledged: 'submitter',
  refused: 'submitter',
  delivered: 'host',
  taken: 'host',
  begun: 'tool',
  finished: 'tool',
  step: 'tool',
  stepped: 'tool',
  fault: 'chaos',
} as const satisfies Record<JournalBody['kind'], Writer>;

export const CALL = 'call-1';
export const TASK = 'task-1';
const DONE: DeliveredOutcome = { kind: 'result', text: `done ${CALL}` };

const act = { callId: CALL, taskId: TASK, attempt: 1 };
export const asked = (more: { repeatable?: boolean; by?: Writer; at?: number } = {}): Line => ({
  kind: 'asked',
  callId: CALL,
  tool: 'once',
  repeatable: false,
  ...more,
});
export const acknowledged = (more: { taskId?: string; by?: Writer } = { taskId: TASK }): Line => ({
  kind: 'acknowledged',
  callId: CALL,
  ...more,
});
export const begun = (more: { pid?: number; parent?: number; attempt?: number; at?: number } = {}): Line => ({
  kind: 'begun',
  ...act,
  ...more,
});
export const finished = (more: { pid?: number; attempt?: number; at?: number } = {}): Line => ({
  kind: 'finished',
  ...act,
  ...more,
});
export const step = (kind: 'step' | 'stepped', more: { pid?: number; attempt?: number } = {}): Line => ({
  kind,
  step: 'send',
  ...act,
  ...more,
});
export const delivered = (told: DeliveredOutcome = DONE, more: { at?: number; by?: Writer } = {}): Line => ({
  kind: 'delivered',
  callId: CALL,
  told,
  ...more,
});
export const fault = (kind: string, pids: readonly number[], untilAt = 0): Line => ({
  kind: 'fault',
  fault: kind,
  target: 'worker',
  pids,
  untilAt,
});

/** A task that ended well. */
export const stored = (more: Partial<StoredTask> = {}): StoredTask => ({
  taskId: TASK,
  callId: CALL,
  status: 'completed',
  isEnded: true,
  idempotent: false,
  attempts: 1,
  maxAttempts: 1,
  told: DONE,
  endings: 1,
  ...more,
});

export function toEvidence(lines: readonly Line[], tasks: readonly StoredTask[] | undefined = [stored()]): Evidence {
  const journal = lines.map((line, index) => {
    const at = line.at ?? (index + 1) * 100;
    const entry = { pid: 1, by: WRITERS[line.kind], ...line, at };
    return entry.kind === 'fault' && entry.untilAt === 0 ? { ...entry, untilAt: at } : entry;
  });
  return { journal: journal as JournalEntry[], left: [], ...(tasks && { tasks }) };
}
