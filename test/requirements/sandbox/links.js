// @ts-check

const source = 'Sandbox: links to questions';

/**
 * What can be sent to a colleague.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const sandboxLinkRequirements = [
  { id: 'SAND-270', source, claim: 'a link shows one question and nothing else of its task, and takes one answer' },
  { id: 'SAND-271', source, claim: 'a link answers its own question, whatever it is told to answer' },
  { id: 'SAND-272', source, claim: 'the token of a link opens no other route' },
  { id: 'SAND-273', source, claim: 'links are made only by those who may answer, for questions to a person' },
  { id: 'SAND-274', source, claim: 'a link is over with its question, and says so' },
  { id: 'SAND-275', source, claim: 'pages of other sites and bodies that are too long are refused at a link' },
  {
    id: 'SAND-276',
    source,
    claim: 'links are kept by the hashes of their tokens, and outlive the process in a directory',
  },
  { id: 'SAND-277', source, claim: 'in the browser, a link is copied from a task and answered by somebody else, once' },
];
