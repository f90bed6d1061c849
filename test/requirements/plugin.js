// @ts-check

const PLUGIN = 'Codex: plugin.json and the single-file server';

/** @type {readonly import('./requirements.js').Requirement[]} */
export const pluginRequirements = [
  { id: 'PLUGIN-01', source: PLUGIN, claim: 'plugin.json names the server and asks for results by the log of prompts' },
  {
    id: 'PLUGIN-02',
    source: PLUGIN,
    claim: 'build:mcp makes one file of the same bytes every time, with the licences of what is in it',
  },
  { id: 'PLUGIN-03', source: PLUGIN, claim: 'the file serves Codex from a directory that has no packages' },
  {
    id: 'PLUGIN-04',
    source: PLUGIN,
    claim: 'a run outlives its killed server: worker and heartbeat thread are the same file',
  },
  {
    id: 'PLUGIN-05',
    source: PLUGIN,
    claim: 'native code in the file is unpacked for the user alone, compared with its checksum, and only where needed',
  },
];
