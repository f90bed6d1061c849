// @ts-check

const source = 'rooms';

/**
 * Dialects as plugs, on the server's side.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const roomsDialectsServerRequirements = [
  {
    id: 'ROOMS-100',
    source,
    claim: 'a server speaks a dialect it is given, and what was begun in it survives the kill of server and worker',
  },
  { id: 'ROOMS-101', source, claim: 'a dialect that was added takes only the calls that ask for it' },
  { id: 'ROOMS-102', source, claim: "the server's half of a dialect fits in 35 lines" },
  {
    id: 'ROOMS-103',
    source,
    claim: 'a wrong dialect is refused when the server is made, with the field and the value',
  },
  {
    id: 'ROOMS-104',
    source,
    claim: 'the dialects are asked in the order of one table, and the strongest claim answers',
  },
  { id: 'ROOMS-105', source, claim: 'what an older build stored of a call is run, listed and joined by its key' },
  { id: 'ROOMS-106', source, claim: 'the server imports no dialect but through the table and its seams' },
  {
    id: 'ROOMS-107',
    source,
    claim:
      'a call on stdio goes through each room of the server once, in at most 25 files, and other dialects are only asked',
  },
];
