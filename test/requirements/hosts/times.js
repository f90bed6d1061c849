// @ts-check

const source = 'hosts';

/**
 * What hosts are told of time, what they get that ask without being invited, and the table of clients.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const hostTimeRequirements = [
  {
    id: 'HOSTS-330',
    source,
    claim: 'from a tenth on, the time left goes by the progress and the work done alone, and never contradicts it',
  },
  {
    id: 'HOSTS-331',
    source,
    claim: 'the first tenth is mixed with the estimate; without one, nothing is told of the first two per cent',
  },
  {
    id: 'HOSTS-332',
    source,
    claim: 'work that has outlived its estimate and tells no progress has no time left to tell',
  },
  { id: 'HOSTS-333', source, claim: 'time that was spent waiting for answers or in the queue is no work' },
  { id: 'HOSTS-334', source, claim: 'clients are asked to poll after a tenth of the time left, from 1 s to 15 s' },
  { id: 'HOSTS-335', source, claim: 'where the time left is unknown, polls grow rarer with the age of the task' },
  { id: 'HOSTS-336', source, claim: 'polls are rarer while a question waits for a person, up to a minute' },
  { id: 'HOSTS-337', source, claim: "the tool's own pollIntervalMs binds" },
  { id: 'HOSTS-338', source, claim: 'the interval of a running task follows the time left on the wire, in both eras' },
  {
    id: 'HOSTS-339',
    source,
    claim: 'prompts, resources and templates that nobody declared are empty lists, in both eras, over stdio and HTTP',
  },
  { id: 'HOSTS-340', source, claim: 'what a server does declare is listed as it is' },
  {
    id: 'HOSTS-345',
    source,
    claim: 'every recorded client gets the result of a tool of 5 s, 90 s and 310 s, which runs once',
  },
  { id: 'HOSTS-346', source, claim: 'no recorded client is let down: the hand-over comes before it gives up' },
  { id: 'HOSTS-347', source, claim: 'with every recorded client a question reaches a person, and the answer the tool' },
  {
    id: 'HOSTS-348',
    source,
    claim: 'a recorded client that dies and comes back gets the result of the one run; what was handed over ends',
  },
  { id: 'HOSTS-349', source, claim: 'docs/clients.md says what was seen of every recorded client' },
];
