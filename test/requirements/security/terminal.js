// @ts-check

const source = 'security';

/**
 * Security: what a hostile server can do to a terminal and the person before it.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const terminalSecurityRequirements = [
  { id: 'SEC-350', source, claim: 'what a server says is shown on a terminal with its escapes made visible' },
  { id: 'SEC-351', source, claim: 'a pipe or a file gets what a tool answered as it is' },
  { id: 'SEC-352', source, claim: 'JSON output escapes C1 and bidi characters, and is the same value' },
  { id: 'SEC-353', source, claim: 'what a server writes to stderr does not reach a terminal as it is' },
  { id: 'SEC-354', source, claim: 'a question names the server that asks, and the host of the page it wants opened' },
  {
    id: 'SEC-355',
    source,
    claim: 'javascript:, file: and other schemes, and user information before the host, are turned away',
  },
  { id: 'SEC-356', source, claim: 'a secret field is not echoed, and its answer is not kept in clear' },
  { id: 'SEC-522', source, claim: 'what a log says is explained without what a terminal obeys' },
  { id: 'SEC-526', source, claim: 'no line that a server writes while it asks looks like a question of its host' },
  { id: 'SEC-543', source, claim: 'other users of the machine do not see the JSON on a command line while it runs' },
  {
    id: 'SEC-544',
    source,
    claim: 'arguments and answers may come from stdin, and JSON that cannot be read is not repeated in the error',
  },
];
