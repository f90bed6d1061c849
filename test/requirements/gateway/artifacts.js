// @ts-check

const source = 'Gateway: large results';

/**
 * Gateway: large results.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const gatewayArtifactsRequirements = [
  {
    id: 'GATE-400',
    source,
    claim:
      'what is too large for an answer is kept beside the task, and the answer has a link with its size, the beginning and the end',
  },
  { id: 'GATE-401', source, claim: 'images, sounds and files over their limit become links, smaller ones stay' },
  {
    id: 'GATE-402',
    source,
    claim: 'a structured value stays where a schema promises it, and becomes a link otherwise',
  },
  {
    id: 'GATE-403',
    source,
    claim: 'a link is read in ranges, in whole letters, to its end, by the principal of its task and nobody else',
  },
  { id: 'GATE-404', source, claim: "the resources of the server's owner are read as before" },
  { id: 'GATE-405', source, claim: 'a model that cannot read resources reads on with task_wait' },
  { id: 'GATE-406', source, claim: 'clients of revisions that know no links get words instead' },
  { id: 'GATE-407', source, claim: 'a tool keeps texts and files of its own beside its task' },
  {
    id: 'GATE-408',
    source,
    claim: "what was kept is there after a restart, in every store, and is gone with the task's result",
  },
  { id: 'GATE-409', source, claim: 'a result that is larger than the tool may return is refused with its size' },
];
