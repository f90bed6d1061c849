// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const byHandRoomsRequirements = [
  {
    id: 'ROOMS-250',
    source: 'rooms and words',
    claim: 'a command describes itself in one place, from which it is found, parsed and helped',
  },
  {
    id: 'ROOMS-251',
    source: 'rooms and words',
    claim: 'an option is written alike in all commands, and may stand before, within or after the name of its command',
  },
  {
    id: 'ROOMS-252',
    source: 'rooms and words',
    claim: 'help is shown without loading the engine, a store, the host, zod or the SDK',
  },
  {
    id: 'ROOMS-253',
    source: 'rooms and words',
    claim: 'there is one test for objects: members, no list, not null',
  },
  {
    id: 'ROOMS-254',
    source: 'rooms and words',
    claim: 'a field that cannot be used is named with its value, cut when it is long, and with what is expected',
  },
  {
    id: 'ROOMS-255',
    source: 'rooms and words',
    claim: 'a text is never cut within a character',
  },
  {
    id: 'ROOMS-256',
    source: 'rooms and words',
    claim: 'the codes of JSON-RPC stand in one file',
  },
  {
    id: 'ROOMS-257',
    source: 'rooms and words',
    claim:
      'shells complete commands, options, their values, files and directories, from the description of the commands',
  },
];
