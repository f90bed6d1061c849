// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const taskRequirements = [
  {
    id: 'TASK-01',
    source: 'foundation',
    claim: 'a record keeps every field it was submitted with, trace context and alias included',
    test: { file: 'src/testing/contract/tasks/create.ts', title: 'everything optional is kept as it was given' },
  },
  { id: 'TASK-02', source: 'foundation', claim: 'only the moves of the status table are expected' },
  {
    id: 'TASK-03',
    source: 'design',
    claim: 'exactly one terminal state per task: terminal states are final',
    test: { file: 'src/testing/contract/tasks/settle.ts', title: 'the end is final: nothing ends a task twice' },
  },
  {
    id: 'TASK-04',
    source: 'foundation',
    claim: 'events of a task are numbered from 1 without holes',
    test: { file: 'src/testing/contract/tasks/write.ts', title: 'writes at once are numbered without holes' },
  },
  {
    id: 'TASK-05',
    source: 'foundation',
    claim: 'lifecycle events stay when progress and stream events are trimmed to the last 10,000',
    test: {
      file: 'src/testing/contract/tasks/sweep.ts',
      title: 'the last ten thousand high-rate events stay, and lifecycle events all stay',
    },
  },
  { id: 'TASK-06', source: 'foundation', claim: 'reading past the trim yields a gap' },
  { id: 'TASK-07', source: 'foundation', claim: 'progress and stream events are written in small batches' },
  { id: 'TASK-08', source: 'foundation', claim: 'ids are unguessable: at least 128 random bits' },
  {
    id: 'TASK-09',
    source: 'foundation',
    claim: 'an alias is unique per principal and identity',
    test: { file: 'src/testing/contract/tasks/create.ts', title: 'an alias belongs to one principal and identity' },
  },
  {
    id: 'TASK-10',
    source: 'foundation',
    claim: 'the TTL counts from the end of the work: a running task never expires',
    test: { file: 'src/testing/contract/tasks/sweep.ts', title: 'a task that has not ended never expires' },
  },
  { id: 'TASK-11', source: 'foundation', claim: 'retry delays double up to a limit' },
  { id: 'TASK-12', source: 'foundation', claim: 'remaining time is derived from progress and estimate' },
  { id: 'TASK-13', source: 'design', claim: 'a bug crosses a border as INTERNAL, without any of its text' },
];
