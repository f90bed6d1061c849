// @ts-check

const source = 'queues';

/** @type {readonly import('../requirements.js').Requirement[]} */
export const roomsQueueRequirements = [
  {
    id: 'ROOMS-170',
    source,
    claim: 'one table says of every column of a task what it is in the file, in a new row and in the record',
  },
  {
    id: 'ROOMS-171',
    source,
    claim: 'calls with the same queue run one after the other, in the order of submission; other queues run beside it',
  },
  {
    id: 'ROOMS-172',
    source,
    claim: 'after a cancel or a time-out the next call of a queue begins when the work before it has stopped',
  },
  {
    id: 'ROOMS-173',
    source,
    claim:
      'a call that backs off or is parked keeps its place in its queue; one that is cancelled while it waits leaves it',
  },
  { id: 'ROOMS-174', source, claim: 'principals share a queue only when the tool says so' },
  {
    id: 'ROOMS-175',
    source,
    claim:
      'a queue that is no text, empty, too long or thrown at is refused as INVALID_ARGUMENT, and says what was expected',
  },
  {
    id: 'ROOMS-176',
    source,
    claim: 'the name of a queue is kept as a keyed hash, and found again when the key has changed',
  },
  { id: 'ROOMS-177', source, claim: 'a queue holds across processes that share a store' },
  {
    id: 'ROOMS-178',
    source,
    claim: 'a queue goes on in its order after kill -9 of its worker, and nothing of it runs twice at once',
  },
  { id: 'ROOMS-179', source: 'apps on the doors', claim: 'an app imports only what a program of a user can import' },
  {
    id: 'ROOMS-180',
    source: 'apps on the doors',
    claim: 'a SQLite file of an app is migrated, written in whole transactions, and refused when it is not its own',
  },
];
