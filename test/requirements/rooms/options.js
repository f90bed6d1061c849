// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const optionsRoomsRequirements = [
  {
    id: 'ROOMS-300',
    source: 'rooms and words',
    claim: 'what a schema finds is told as the house does: the field with its path, its value, and what is expected',
  },
  {
    id: 'ROOMS-301',
    source: 'rooms and words',
    claim: 'a complaint says whose option it is, or which file, and carries the field for programs',
  },
  { id: 'ROOMS-302', source: 'rooms and words', claim: 'a secret that cannot be used is not repeated' },
  {
    id: 'ROOMS-303',
    source: 'rooms and words',
    claim: 'an import makes no schema of options; each is made at its first use, once',
  },
  {
    id: 'ROOMS-304',
    source: 'rooms and words',
    claim: 'a schema that lacks a field of the documented type, or has another, does not compile',
  },
  {
    id: 'ROOMS-305',
    source: 'rooms and words',
    claim:
      'wrong options of servers, tools, hosts, specs and stores are named errors, with nested paths and list places',
  },
  {
    id: 'ROOMS-306',
    source: 'rooms and words',
    claim: 'a wrong field of a configuration file is named with the file',
  },
  {
    id: 'ROOMS-307',
    source: 'rooms and words',
    claim:
      'there is one test for objects, one maker of errors about fields and one reader of lines, and no copy of them',
  },
];
