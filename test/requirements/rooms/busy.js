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
  {
    id: 'ROOMS-360',
    source,
    claim: 'tasks/get of a task that by its estimate is about to end is answered when it has ended, or a moment later',
  },
  {
    id: 'ROOMS-361',
    source,
    claim: 'tasks/get of a task that is not known to be near its end is answered at once',
  },
  {
    id: 'ROOMS-362',
    source,
    claim:
      'answers that are ready at the same moment leave stdout in one write, in order, before anything else is begun',
  },
  {
    id: 'ROOMS-363',
    source,
    claim:
      'a process tells of its own changes without reading them back, in the order of commits, and of none that was rolled back',
  },
  {
    id: 'ROOMS-364',
    source,
    claim:
      'a principal that is alone keeps its turn until there is another, so that its next task need not bring it back',
  },
];
