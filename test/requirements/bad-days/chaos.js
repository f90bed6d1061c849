// @ts-check

const source = 'bad-days';

/**
 * Bad days: one harness of faults with a judge outside the product.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const chaosBadDayRequirements = [
  {
    id: 'BAD-550',
    source,
    claim: 'a plan of faults is made from a seed, is the same for it, and can be kept and read',
  },
  { id: 'BAD-551', source, claim: 'the judge finds what was acknowledged and lost' },
  { id: 'BAD-552', source, claim: 'the judge finds what was done, made or delivered twice' },
  { id: 'BAD-553', source, claim: 'the judge finds what never ends' },
  { id: 'BAD-554', source, claim: 'the judge finds what ends late although nothing was wrong' },
  { id: 'BAD-555', source, claim: 'the judge finds outcomes that contradict each other, the store or the journal' },
  {
    id: 'BAD-556',
    source,
    claim: 'the judge finds work that was interrupted or run again without harm to its process',
  },
  { id: 'BAD-557', source, claim: 'the judge finds bodies and steps that begin after the end was told' },
  { id: 'BAD-558', source, claim: 'the judge finds processes that were left running' },
  { id: 'BAD-559', source, claim: 'servers of others are judged by their answers, and what cannot be judged is said' },
  { id: 'BAD-560', source, claim: 'a list that fails is shrunk to entries that are all needed' },
  { id: 'BAD-561', source, claim: 'what a killed process noted can be read, in the order of one steady clock' },
  { id: 'BAD-562', source, claim: 'connections can be cut and delayed, and responses lost' },
  { id: 'BAD-563', source, claim: 'disks can fail, fill up and get slow, and clocks jump, for chosen processes' },
  {
    id: 'BAD-564',
    source,
    claim: 'the command checks its options by name, shows its seed, writes its report and exits 0 or 1',
  },
  {
    id: 'BAD-570',
    source,
    claim: 'twenty seconds of faults with a fixed seed: nothing lost, doubled, stuck, late or contradictory',
  },
  { id: 'BAD-571', source, claim: 'ten minutes of faults with a fresh seed: no violation' },
  {
    id: 'BAD-572',
    source,
    claim: 'a server that forgets what it acknowledged is found, and its plan shrunk to one fault',
  },
  { id: 'BAD-573', source, claim: 'what is planted in the evidence of a real run is found' },
  { id: 'BAD-574', source, claim: 'a log that cannot be written does not end the process that reports to it' },
];
