/**
 * The states of a task and the transitions between them.
 *
 *   queued ──claim──▶ working ──settle──▶ completed | failed | cancelled
 *     ▲                 │ ▲
 *     │   retry, hand   │ │ last answer, attempt still waiting in memory
 *     ├── back, lost ───┘ │
 *     │                   │
 *     └── last answer ── input_required ◀── ask ── working
 *         after parking
 *
 * Terminal states are final. A task that was parked or lost its worker while a question is open stays
 * `input_required` without a lease.
 */
export type Status = 'queued' | 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Every status, in the order in which a task can have them. */
export const statuses = ['queued', 'working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['working', 'failed', 'cancelled'],
  working: ['queued', 'input_required', 'completed', 'failed', 'cancelled'],
  // A tool may return while one of its questions is still open (it raced the answer): the question is withdrawn.
  input_required: ['queued', 'working', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
};

export function canMove(from: Status, to: Status): boolean {
  return MOVES[from].includes(to);
}

/** Whether a task in this status has ended. */
export function isTerminal(status: Status): boolean {
  return MOVES[status].length === 0;
}
