// @ts-check

const source = 'Gateway: proofs';

/**
 * Gateway: what is proven with programs of others, with kills, and by comparison.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const gatewayProofsRequirements = [
  {
    id: 'GATE-160',
    source,
    claim: 'the official suite gives a server the same marks directly and through a gateway, but for a few listed ones',
  },
  {
    id: 'GATE-161',
    source,
    claim: 'what a task tells before its request is answered is told on the line of the request',
  },
  { id: 'GATE-162', source, claim: 'a client is asked under the name that the upstream gave its question' },
  { id: 'GATE-163', source, claim: 'answers that come with the first request are taken when they are asked for' },
  { id: 'GATE-164', source, claim: 'an upstream of 2026-07-28 is asked for the lines of log that the client hears' },
  {
    id: 'GATE-165',
    source,
    claim: 'a server that is kept finds the variables that the SDK would give it',
  },
  {
    id: 'GATE-166',
    source,
    claim: 'the server of a command is started before the gateway is loaded, once, and is heard from its first word on',
  },
  {
    id: 'GATE-167',
    source,
    claim:
      'a fast tool that only reads touches no store; one that was slow once is a task from the start, also after a restart',
  },
  {
    id: 'GATE-260',
    source,
    claim: 'kills of gateway, worker, upstream, keeper and client lose, double and leave nothing',
  },
  {
    id: 'GATE-420',
    source,
    claim: 'a program of the package loads few files, and no package before its server is started',
  },
  {
    id: 'GATE-421',
    source,
    claim: 'what programs have inside finds what lies beside it, and its licences are told',
  },
];
