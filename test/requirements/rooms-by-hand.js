// @ts-check

/** @type {readonly import('./requirements.js').Requirement[]} */
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
];
