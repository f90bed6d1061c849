// @ts-check

const source = 'Idle costs nothing, busy costs less: busy';

/** @type {readonly import('../requirements.js').Requirement[]} */
export const roomsBusyRequirements = [
  {
    id: 'ROOMS-320',
    source,
    claim: 'a sync of a known tree starts no thread that hashes unless a file has another size or time than before',
  },
];
