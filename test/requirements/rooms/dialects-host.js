// @ts-check
const source = 'host: dialects';

/** @type {readonly import('../requirements.js').Requirement[]} */
export const roomsDialectsHostRequirements = [
  {
    id: 'ROOMS-120',
    source,
    claim:
      'the host knows the table and the interface of dialects, and none by name; it loads no engine and no server half',
  },
  {
    id: 'ROOMS-121',
    source,
    claim:
      'a dialect that a user adds in one short file brings back a call whose host was killed with -9, exactly once',
  },
  { id: 'ROOMS-122', source, claim: 'dialects of the host’s options are asked before the built-in ones' },
  {
    id: 'ROOMS-123',
    source,
    claim: 'a dialect that is none, or that a call of the ledger needs and nobody has, is named',
  },
  {
    id: 'ROOMS-124',
    source,
    claim: 'a plain call of a plain server loads nothing of the dialects but what says that it is none of theirs',
  },
  {
    id: 'ROOMS-125',
    source,
    claim: 'one call over stdio passes at most 25 files of the host, and ARCHITECTURE.md names them in their rooms',
  },
  { id: 'ROOMS-126', source, claim: 'handles that earlier builds wrote to a ledger are still followed' },
];
