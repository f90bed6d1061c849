// @ts-check

const source = 'Sandbox: its panels';

/**
 * Tasks, prompts and workers on the page, and what stands behind them.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const sandboxPanelRequirements = [
  {
    id: 'SAND-280',
    source,
    claim:
      'a task run again has the arguments of the first, secrets included and hidden, and nothing of its call alone',
  },
  { id: 'SAND-281', source, claim: 'run again from a step, the steps before it are kept and not taken again' },
  { id: 'SAND-282', source, claim: 'a task that cannot be run again is refused by name' },
  { id: 'SAND-283', source, claim: 'who ran a task again is in its first event and in the audit' },
  { id: 'SAND-284', source, claim: 'a task of a queue that is run again stands in its queue again' },
  { id: 'SAND-285', source, claim: 'all ended tasks that a filter finds are run again at once, and no others' },
  { id: 'SAND-286', source, claim: 'a task is run again with other arguments, which are checked' },
  { id: 'SAND-287', source, claim: 'an artifact is saved whole as a file, and never shown as a page' },
  { id: 'SAND-288', source, claim: 'programs and deliveries are spans on the timeline, open while they last' },
  { id: 'SAND-289', source, claim: 'a task tells of the programs it starts, by name and number' },
  {
    id: 'SAND-290',
    source,
    claim: 'tasks are run again on the page: with other arguments, from a step, and by a filter',
  },
  { id: 'SAND-291', source, claim: 'the details of a task can be made wider, and the width is kept' },
  { id: 'SAND-292', source, claim: 'the time until a task is forgotten is counted down' },
  { id: 'SAND-293', source, claim: 'an artifact is downloaded from the card of its call and from its task' },
  { id: 'SAND-294', source, claim: 'several upstreams are shown apart, also one that is away' },
];
