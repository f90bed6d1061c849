// @ts-check
/** The house itself: rooms, words, and the dialect that anybody can add. */

const source = 'rooms-and-words';

/** @type {readonly import('../requirements.js').Requirement[]} */
export const roomsHouseRequirements = [
  {
    id: 'ROOMS-240',
    source,
    claim: 'a dialect of both halves in under 80 lines brings a call back although everybody was killed in the middle',
  },
  { id: 'ROOMS-241', source, claim: 'no folder of the source has more than twenty files' },
  { id: 'ROOMS-242', source, claim: 'ARCHITECTURE.md names only files that are there' },
  { id: 'ROOMS-243', source, claim: 'a newcomer who searches for a behaviour finds its file first' },
  { id: 'ROOMS-245', source, claim: 'no folder of the tests has more than twenty files' },
];
