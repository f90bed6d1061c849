// @ts-check

const source = 'Gateway: mirroring';

/**
 * Gateway: everything that is not a long call is mirrored.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const gatewayMirrorRequirements = [
  { id: 'GATE-100', source, claim: 'tools are listed as their server lists them, with fields that nobody here knows' },
  { id: 'GATE-101', source, claim: 'a gateway before one server has its name, instructions and capabilities' },
  {
    id: 'GATE-102',
    source,
    claim: 'prompts, resources, templates, completion and unknown methods are passed on, and errors with their codes',
  },
  {
    id: 'GATE-103',
    source,
    claim: 'lists are passed on page by page, and progress of any request under the name that the client gave it',
  },
  {
    id: 'GATE-104',
    source,
    claim: 'subscriptions reach the upstream, and its news those who subscribed, in both eras',
  },
  { id: 'GATE-105', source, claim: 'lines of log reach clients from the level on that they asked for' },
  { id: 'GATE-106', source, claim: 'what an upstream asks outside of calls is put to a client that can answer it' },
  { id: 'GATE-107', source, claim: 'tools that come and go upstream come and go in the gateway, and clients are told' },
  { id: 'GATE-108', source, claim: 'tools that only apps see are never tasks' },
  { id: 'GATE-109', source, claim: '_meta and trace context of calls and requests reach the upstream' },
  {
    id: 'GATE-110',
    source,
    claim: 'names of several upstreams are prefixed only on conflict, and stay what they were',
  },
  {
    id: 'GATE-111',
    source,
    claim: 'with several upstreams lists are gathered, and each request goes to the one that it is for',
  },
  { id: 'GATE-112', source, claim: 'the policy of a tool is the nearest word of its owner, else its annotations' },
  { id: 'GATE-113', source, claim: 'an upstream is told what the client on stdio can be asked' },
  {
    id: 'GATE-115',
    source,
    claim: 'what belongs to no call is asked of no client while several principals are connected',
  },
  { id: 'GATE-116', source, claim: 'a server of 2026-07-28 is listened to, and its news reach clients of both eras' },
  {
    id: 'GATE-117',
    source,
    claim:
      'sampling, roots and elicitation of both modes reach a client, and what is told of them reaches the other side',
  },
  { id: 'GATE-118', source, claim: 'views of apps and results are passed on with all that their server says of them' },
  {
    id: 'GATE-119',
    source,
    claim: 'an upstream that died is started again, and asked anew for subscriptions and the level of its log',
  },
  { id: 'GATE-120', source, claim: 'published servers answer the same through a gateway, but for a few named fields' },
  { id: 'GATE-114', source, claim: 'an upstream that cannot be reached is named, and the others are served' },
];
