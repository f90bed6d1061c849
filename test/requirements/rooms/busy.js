// @ts-check

const source = 'Idle costs nothing, busy costs less: busy';

/** @type {readonly import('../requirements.js').Requirement[]} */
export const roomsBusyRequirements = [
  {
    id: 'ROOMS-320',
    source,
    claim: 'a sync of a known tree starts no thread that hashes unless a file has another size or time than before',
  },
  {
    id: 'ROOMS-322',
    source,
    claim:
      'whoever watches reads the record of a task only when there are no events to tell, and misses none at its end',
  },
  {
    id: 'ROOMS-323',
    source,
    claim: 'a task that is claimed with the commit of its submit is looked for once',
  },
  {
    id: 'ROOMS-324',
    source,
    claim: 'the run times of a tool that has run often are read at most once a second',
  },
  {
    id: 'ROOMS-350',
    source,
    claim: 'a call that ends within quickMs of its tool is answered and leaves no task',
  },
  {
    id: 'ROOMS-351',
    source,
    claim: 'one that lasts longer, fails, uses its task or returns much is aborted, and its task is what is answered',
  },
  {
    id: 'ROOMS-352',
    source,
    claim: 'one with a key, or whose client asks for a task, is a task from the start',
  },
  {
    id: 'ROOMS-353',
    source,
    claim: 'quickMs is refused for a tool that may not be repeated, or of whose tasks somebody is told',
  },
];
