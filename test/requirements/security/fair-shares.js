// @ts-check

const source = 'security';

/**
 * Security: quotas, fair claims and the audit.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const fairSharesSecurityRequirements = [
  {
    id: 'SEC-400',
    source,
    claim: 'a flood of long tasks of one principal leaves slots to the others, of the engine and of a tool',
  },
  {
    id: 'SEC-401',
    source,
    claim: 'a call beyond the share of its principal is -32029 with the limit and retryAfterMs, in every form',
  },
  {
    id: 'SEC-402',
    source,
    claim: 'what the tasks of a principal store is counted, and more than its share is refused',
  },
  { id: 'SEC-403', source, claim: 'a call that asks for too long a ttl gets the longest there is, and is told so' },
  { id: 'SEC-404', source, claim: 'default limits bind every principal but local; limits that are set bind all' },
  {
    id: 'SEC-405',
    source,
    claim: 'tasks that wait for an answer count as waiting, and a refusal says when to come again',
  },
  { id: 'SEC-406', source, claim: 'many tasks that are answered at once do not take the slots of other principals' },
  { id: 'SEC-407', source, claim: 'with limits.perPrincipal.running a principal holds no more slots of a worker' },
  { id: 'SEC-408', source, claim: 'estimates are learned from runs of the same principal only' },
  { id: 'SEC-409', source, claim: 'limits that cannot be used, or are misspelt, are refused by name' },
  {
    id: 'SEC-410',
    source,
    claim: 'principals take turns at claims, one task each, the one served longest ago first',
    test: {
      file: 'src/testing/contract/tasks/shares.ts',
      title: 'principals take turns, one task each, whoever came first and however many tasks they have',
    },
  },
  {
    id: 'SEC-411',
    source,
    claim: 'the bytes of a principal return to nothing when its tasks are forgotten',
    test: {
      file: 'src/testing/contract/tasks/shares.ts',
      title: 'what a task stores counts for its principal until it expires, and its tombstone until it is forgotten',
    },
  },
  { id: 'SEC-412', source, claim: 'a store of the version before is migrated: what was queued runs, and shares count' },
  { id: 'SEC-420', source, claim: 'the events of a task tell which principal and client answered or cancelled it' },
  { id: 'SEC-421', source, claim: 'what a client calls itself is cut before it is kept with its acts' },
  { id: 'SEC-422', source, claim: 'acts of the operator name the user of the system; a tombstone says who pruned' },
  { id: 'SEC-423', source, claim: 'audit: true writes a line of plain ASCII for each act, without payload, mode 0600' },
  { id: 'SEC-424', source, claim: 'the audit is bounded: it is renamed when full, and old files are removed' },
  { id: 'SEC-425', source, claim: 'the audit is not written through a link' },
  {
    id: 'SEC-426',
    source,
    claim: 'audit may be a function; one that fails hinders no work, and bad values are refused',
  },
  { id: 'SEC-427', source, claim: 'who takes over a call that was left is kept in its events and in the audit' },
  {
    id: 'SEC-541',
    source,
    claim:
      "in a store of another user's, root begins an audit that its owner can go on with, and neither a pipe nor a second name of a file is taken for one",
  },
];
