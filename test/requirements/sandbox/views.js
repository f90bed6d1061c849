// @ts-check

const source = 'Sandbox: views in clients';

/**
 * Views of calls in hosts of MCP Apps.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const sandboxViewRequirements = [
  { id: 'SAND-240', source, claim: 'clients that show views are told of the view of every tool that may be a task' },
  { id: 'SAND-241', source, claim: 'the view is one page with a strict policy, beside the resources of the owner' },
  { id: 'SAND-242', source, claim: 'a view follows its call by id, and before that by what it was called with' },
  { id: 'SAND-243', source, claim: 'a view answers questions and stops its call' },
  { id: 'SAND-244', source, claim: 'a view sees no task of another principal, and cannot act on one' },
  { id: 'SAND-245', source, claim: 'tools for apps only are never made tasks' },
  { id: 'SAND-246', source, claim: 'clients without views see no tool for apps and no view; views are off by default' },
  {
    id: 'SAND-247',
    source,
    claim: 'a gateway gives its clients the view too, and leaves the views of upstreams alone',
  },
  { id: 'SAND-248', source, claim: 'views of a gateway are asked for by --ui or by ui in its config' },
  { id: 'SAND-249', source, claim: 'the view is listed and read on stdio in both eras' },
  { id: 'SAND-250', source, claim: 'the bridge of the view shakes hands with a host and hears of its call' },
  { id: 'SAND-251', source, claim: 'the bridge calls tools by way of the host, and hears of refusals' },
  { id: 'SAND-252', source, claim: 'the bridge ignores what is no message, and refuses unknown requests' },
  { id: 'SAND-253', source, claim: 'a view asks only while there is something to learn' },
  { id: 'SAND-254', source, claim: 'a view shows a result that came at once, and a cancel' },
  { id: 'SAND-255', source, claim: 'a view asks nothing where its host forbids it' },
  { id: 'SAND-256', source, claim: 'a look that failed is made again, unless the task is not there' },
  { id: 'SAND-257', source, claim: 'a hand-over is understood also without _meta' },
  {
    id: 'SAND-260',
    source,
    claim: 'in a real host, a view shows progress, the question and the result of a call that was handed over',
  },
  { id: 'SAND-261', source, claim: 'a view stops its call, and asks no more once it is taken away' },
  { id: 'SAND-262', source, claim: 'a view has the language and colours of its host, and nothing in a result runs' },
  { id: 'SAND-263', source, claim: 'a view that may ask nothing shows the words of the hand-over' },
  { id: 'SAND-264', source, claim: 'axe-core finds no serious fault in the view' },
];
