// @ts-check

const source = 'host';

/** @type {readonly import('./requirements.js').Requirement[]} */
export const cliHostRequirements = [
  { id: 'CLI-12', source, claim: 'prompts list shows pending questions first, then results' },
  {
    id: 'CLI-13',
    source,
    claim: 'prompts answer writes one response that fits the kind of its prompt, or says what is expected',
  },
  { id: 'CLI-14', source, claim: 'a secret is not shown while it is typed, nor written or printed in clear' },
  { id: 'CLI-15', source, claim: 'prompts tail shows entries as they come, over rotation, and counts garbage' },
  { id: 'CLI-16', source, claim: 'prompts explain says why a wait has not ended, in the words of the host' },
  {
    id: 'CLI-17',
    source,
    claim: 'a log is named by file, state directory, plugin or environment, and a missing one says so',
  },
  { id: 'CLI-18', source, claim: 'call --plugin calls a tool of a ChatOS plugin and resumes it later' },
  { id: 'CLI-19', source, claim: 'calls show tells everything about one call' },
  { id: 'CLI-20', source, claim: 'a call can be left as soon as its server has it, and whoever leaves knows when' },
  {
    id: 'CLI-21',
    source,
    claim: 'Ctrl-C asks whether to cancel or to leave; without a terminal it cancels; the second time it ends at once',
  },
  { id: 'CLI-22', source, claim: 'servers come from holdfast.json and .mcp.json, the nearest first' },
  { id: 'CLI-23', source, claim: 'how far a task of a Holdfast server is can be seen while it runs' },
];
