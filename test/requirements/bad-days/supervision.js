// @ts-check

const source = 'bad-days';

/**
 * Bad days: a worker is given up on proof, and what it leaves is cleaned up at once.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const supervisionBadDayRequirements = [
  {
    id: 'BAD-100',
    source,
    claim: 'every store keeps what was observed of a silent worker, and counts no second twice',
    test: {
      file: 'src/testing/contract/workers/silence.ts',
      title: 'the same second counts once, however many observers watched it',
    },
  },
  {
    id: 'BAD-101',
    source,
    claim: 'a silent worker is given up by processes none of which lives for as long as its lease',
  },
  {
    id: 'BAD-102',
    source,
    claim:
      'a worker is marked first, which its tasks are told as stalled, and given up after another beat; a beat takes the mark away',
  },
  {
    id: 'BAD-103',
    source,
    claim: 'neither many observers nor one that stood still make the patience with a worker shorter',
  },
  { id: 'BAD-104', source, claim: 'nothing is written about workers while they beat' },
  {
    id: 'BAD-105',
    source,
    claim:
      'a place whose starter is gone is free at once, and one whose worker never registers is free after startMs of looks in all',
  },
  { id: 'BAD-106', source, claim: 'time in which the store could not be written is held against no worker' },
  { id: 'BAD-107', source, claim: 'a worker whose pulse moves is neither marked nor given up' },
  {
    id: 'BAD-108',
    source,
    claim: 'a worker that may not write to the store any more has no pulse, and its tasks are given to others',
  },
  { id: 'BAD-109', source, claim: 'a server learns at once that the worker it has started was killed' },
  {
    id: 'BAD-110',
    source,
    claim: 'a stopped detached worker is killed before its tasks end or run again',
  },
  {
    id: 'BAD-111',
    source,
    claim: 'a detached worker that is stopped in a transaction is killed, so that others can write again',
  },
  {
    id: 'BAD-112',
    source,
    claim: 'a store that is locked for longer than a lease interrupts nobody, and results of that time are kept',
  },
  {
    id: 'BAD-113',
    source,
    claim:
      'the pulse of a worker moves while the store takes no beat, is for its owner alone, and goes with the worker',
  },
  {
    id: 'BAD-114',
    source,
    claim: 'servers that are killed after seconds, one after the other, run what a stopped worker holds',
  },
  { id: 'BAD-115', source, claim: 'a store that is locked for a minute interrupts nobody, with the default times' },
  { id: 'BAD-120', source, claim: 'the process groups of a dead worker are ended all at once' },
  {
    id: 'BAD-121',
    source,
    claim: 'while the groups of a dead worker are ended, only its own tasks wait: its place is free, others are buried',
  },
  { id: 'BAD-122', source, claim: 'pulses that dead workers left behind are removed' },
  { id: 'BAD-123', source, claim: 'several process groups end together, and each is told for itself' },
  {
    id: 'BAD-124',
    source,
    claim:
      'a process is killed only when it is that very one, also when it is stopped; one of another user is left alone',
  },
];
