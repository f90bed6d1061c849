// @ts-check

const source = 'bad-days';

/**
 * Bad days: detached workers come back, and one that cannot work ends.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const workersBadDayRequirements = [
  {
    id: 'BAD-150',
    source,
    claim: 'a detached worker that did not start is tried again, and takes all that is new once one is there',
  },
  {
    id: 'BAD-151',
    source,
    claim: 'work that had to run in a serving process leaves it as soon as any process has started a detached worker',
  },
  {
    id: 'BAD-152',
    source,
    claim: 'a worker that is alive and still starting after startMs has not failed: work waits for it',
  },
  {
    id: 'BAD-153',
    source,
    claim: 'a worker that never gets there does not hold up the work for ever, and is not started twice meanwhile',
  },
  {
    id: 'BAD-154',
    source,
    claim: 'onWorkers is told when work moves into the serving process, why, and when it leaves',
  },
  { id: 'BAD-155', source, claim: '`tasks list` says who runs the tasks: a detached worker or a serving process' },
  {
    id: 'BAD-160',
    source,
    claim: 'a program whose packages were removed from the disk runs its work itself and keeps its leases',
  },
  { id: 'BAD-161', source, claim: 'an inline worker that lost its place takes another one' },
  {
    id: 'BAD-162',
    source,
    claim: 'a detached worker whose code is not all there ends with a line in its log and without a place',
  },
  { id: 'BAD-170', source, claim: 'a worker ends when a newer build has migrated its store, with or without work' },
  { id: 'BAD-171', source, claim: 'its tasks are run again or interrupted by the newer build' },
  {
    id: 'BAD-172',
    source,
    claim: 'an inline worker in the same place stops its tasks; the program is told once and nothing is tried again',
  },
  {
    id: 'BAD-180',
    source,
    claim: 'another imported file of the program, other packages or another Holdfast are another, later build',
  },
  { id: 'BAD-181', source, claim: 'what a program does not load, or what was only touched, is no other build' },
  { id: 'BAD-182', source, claim: 'a release that is switched by a link counts from the switch, also back' },
  {
    id: 'BAD-183',
    source,
    claim: 'a newer build takes what waits from a worker that is never idle, which finishes what it runs and ends',
  },
];
