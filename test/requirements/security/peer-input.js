// @ts-check

const source = 'security';

/**
 * Security: what a peer sends is bounded before anything is computed from it.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const peerInputSecurityRequirements = [
  {
    id: 'SEC-250',
    source,
    claim: 'what a client calls itself is cut to 200 characters where it comes in, and costs no more than a short name',
  },
  { id: 'SEC-251', source, claim: 'which client a name belongs to is worked out once, not per request' },
  {
    id: 'SEC-252',
    source,
    claim: 'a message with more than 20,000 members is refused before it is parsed, with its id and the limit',
  },
  {
    id: 'SEC-253',
    source,
    claim: 'so is one with more than 100,000 values or 100 levels; what is in texts does not count',
  },
  {
    id: 'SEC-254',
    source,
    claim: 'params with more than 100 members, and _meta, capabilities or answers with more than 1,000, are -32602',
  },
  {
    id: 'SEC-255',
    source,
    claim: 'ids, methods, names, URIs, cursors and tokens have longest lengths, named when refused',
  },
  { id: 'SEC-256', source, claim: 'a batch has at most 50 messages, each within the limits' },
  { id: 'SEC-257', source, claim: 'large arguments that people need pass, and the owner can allow more' },
  { id: 'SEC-258', source, claim: 'errors do not repeat what was too large' },
  { id: 'SEC-259', source, claim: 'a line that comes byte by byte takes no more memory than one that comes at once' },
  {
    id: 'SEC-260',
    source,
    claim: 'a result too large to be sent ends as an error with its size; the connection goes on',
  },
  { id: 'SEC-261', source, claim: 'the reason of a cancel is cut before it is kept' },
  { id: 'SEC-262', source, claim: 'a notification with too much in it is dropped over stdio and 400 over HTTP' },
  {
    id: 'SEC-263',
    source,
    claim: 'an endless line on stdio is let go as it comes; its sender is told the limit and the next line is read',
  },
  { id: 'SEC-290', source, claim: 'a wait budget that the owner has set binds every client, in every mode' },
];
