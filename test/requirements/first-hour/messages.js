// @ts-check

const source = 'first hour';

/**
 * First hour: faults, types and packaging.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const firstHourMessagesRequirements = [
  { id: 'FIRST-300', source, claim: 'a misspelt name is told with the known one that was meant, if one is near' },
  { id: 'FIRST-301', source, claim: 'createServer refuses options that do not exist, at every depth' },
  {
    id: 'FIRST-302',
    source,
    claim: 'a server refuses a tool with an option that does not exist, or has no use, when it is registered',
  },
  { id: 'FIRST-303', source, claim: 'createEngine, its tools and submit refuse options that do not exist' },
  {
    id: 'FIRST-304',
    source,
    claim: 'stores, hosts, specs of servers, calls and resume refuse options that do not exist',
  },
  {
    id: 'FIRST-305',
    source,
    claim:
      'schemas of zod 3, raw shapes and schemas without JSON Schema are refused with what they are and what to write',
  },
  { id: 'FIRST-306', source, claim: 'schemas may be of any library that knows Standard Schema and gives JSON Schema' },
  { id: 'FIRST-307', source, claim: 'a result that does not fit the output of its tool names the tool and the field' },
  { id: 'FIRST-308', source, claim: 'a store on a disk that cannot be written is STORE_READ_ONLY' },
  { id: 'FIRST-309', source, claim: 'a store below a directory that takes no entries is refused, and never hangs' },
  { id: 'FIRST-310', source, claim: 'a Node that is too old is named with the one that is needed' },
  {
    id: 'FIRST-311',
    source,
    claim: 'on Node 18 the command line says one line and exits with 1, and an import fails with that line',
  },
  { id: 'FIRST-312', source, claim: 'a tool that is registered after its server began to serve is refused' },
  { id: 'FIRST-313', source, claim: 'a port that cannot be listened on is told with the reason and the remedy' },
  { id: 'FIRST-314', source, claim: 'demo --http on a taken port names it and exits with 69' },
  {
    id: 'FIRST-315',
    source,
    claim: 'a worker that ends by an unhandled rejection leaves outcomes that say so, with the tool if it can be known',
  },
  {
    id: 'FIRST-316',
    source,
    claim: 'when a tool ends its worker, the tasks beside it are run again or end with the reason',
  },
  {
    id: 'FIRST-317',
    source,
    claim: 'tasks show tells the operator the stack of an error and the log of a lost worker',
  },
  {
    id: 'FIRST-318',
    source,
    claim: 'no client is told the log of a worker; stacks only where the owner lets jobs tell them',
  },
  { id: 'FIRST-319', source, claim: 'an engine that was never started says so while somebody waits for an outcome' },
  {
    id: 'FIRST-320',
    source,
    claim: 'a plain client gets the result of a sync of the monitor, and notifications of jobs only when it asks',
  },
  {
    id: 'FIRST-321',
    source,
    claim: 'a plain client gets what Codex said at its end, or is handed over; streams are for calls that ask',
  },
  {
    id: 'FIRST-322',
    source,
    claim: 'a project with the oldest or the newest zod 4, or with two of them, compiles in a bounded time and runs',
  },
  {
    id: 'FIRST-323',
    source,
    claim: 'the SQLite addon is optional; a Node that has no SQLite without it is told what to do',
  },
  { id: 'FIRST-324', source, claim: 'the package can be published with provenance, and its changes are told' },
];
