// @ts-check

const source = 'bad-days';

/**
 * Bad days: order, delays and expiry do not depend on anybody's wall clock.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const timeBadDayRequirements = [
  { id: 'BAD-200', source, claim: 'tasks run at once and in the order of submission, whatever wall clocks say' },
  { id: 'BAD-201', source, claim: 'a process whose wall clock is ahead drops no result of others' },
  { id: 'BAD-202', source, claim: 'processes whose wall clocks differ agree on the time of their store' },
  {
    id: 'BAD-203',
    source,
    claim: 'after a restart time goes on by the wall clock, never back, and ends nothing at once',
  },
  { id: 'BAD-204', source, claim: 'a process whose steady clock differs cannot make time run away' },
  { id: 'BAD-205', source, claim: 'a wall clock moves the time only when nobody who writes contradicts it' },
  { id: 'BAD-206', source, claim: 'real processes with wrong wall clocks run the work of each other and lose nothing' },
  { id: 'BAD-207', source, claim: 'so do processes under libfaketime, which come, go and are killed' },
  { id: 'BAD-208', source, claim: 'a wall clock that is set while processes run stalls nothing' },
  { id: 'BAD-209', source, claim: 'who writes first decides what time it is, and who only guessed follows' },
  { id: 'BAD-210', source, claim: 'a task that was not started within startWithinMs ends as NOT_STARTED, unrun' },
  { id: 'BAD-211', source, claim: 'startWithinMs holds without the process and the program that submitted the task' },
  { id: 'BAD-212', source, claim: 'a startWithinMs that makes no sense is refused, for a tool and for a call' },
  {
    id: 'BAD-213',
    source,
    claim: 'delays, expiry and holds go by the time of the store',
    test: {
      file: 'src/testing/contract/time.ts',
      title: 'a delay passes with the time of the store, and with nothing else',
    },
  },
  {
    id: 'BAD-214',
    source,
    claim: 'of a claim and a deadline at the same moment one happens, and what has begun has no deadline',
    test: {
      file: 'src/testing/contract/deadlines.ts',
      title: 'of a claim and an end for lateness at the same moment, one happens',
    },
  },
];
