// @ts-check
const source = 'host: dialects';

/** @type {readonly import('./requirements.js').Requirement[]} */
export const roomsDialectsHostRequirements = [
  {
    id: 'ROOMS-120',
    source,
    claim:
      'the host knows the table and the interface of dialects, and none by name; it loads no engine and no server half',
  },
];
