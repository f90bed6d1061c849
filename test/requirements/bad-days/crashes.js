// @ts-check

const source = 'bad-days';

/**
 * Bad days: a crash is charged to the task that caused it, and nobody acts after the end.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const crashesBadDayRequirements = [
  { id: 'BAD-250', source, claim: 'a worker that was stopped past its lease begins no body that it had claimed' },
  { id: 'BAD-251', source, claim: 'nor a step whose value another worker has stored' },
  { id: 'BAD-252', source, claim: 'nor a program, nor a process for an isolated attempt' },
  { id: 'BAD-253', source, claim: 'a task that crashes its process ends as CRASHED and names the signal' },
  { id: 'BAD-254', source, claim: 'tasks that were only there keep their attempts, run apart, and end as they would' },
  { id: 'BAD-255', source, claim: 'nobody is called crashed because its whole worker was killed from outside' },
  {
    id: 'BAD-256',
    source,
    claim: 'an isolated process that ends by itself has crashed; one that was asked to go was interrupted',
  },
  {
    id: 'BAD-257',
    source,
    claim: 'a task that is lost again and again, always with others, ends all the same',
    test: {
      file: 'src/testing/contract/workers/recover.ts',
      title: 'what is lost again and again, always with others, ends all the same',
    },
  },
  { id: 'BAD-258', source, claim: 'a tool that blocks the event loop for seconds is named while it does' },
  { id: 'BAD-259', source, claim: 'it then runs in processes of its own, where that can surprise nobody' },
  { id: 'BAD-260', source, claim: 'a suspect that cannot run apart runs alone, once it was lost twice' },
  { id: 'BAD-261', source, claim: 'a task does not fail because its program cannot be run again' },
  { id: 'BAD-262', source, claim: 'an isolated attempt that idles takes up no slot and no time' },
  { id: 'BAD-263', source, claim: 'what is shown of a task says that it is a suspect' },
  { id: 'BAD-264', source, claim: 'a worker beats also while its heartbeat thread is being loaded' },
];
