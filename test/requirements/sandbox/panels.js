// @ts-check

const source = 'Sandbox: its panels';

/**
 * Tasks, prompts and workers on the page, and what stands behind them.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const sandboxPanelRequirements = [
  {
    id: 'SAND-280',
    source,
    claim:
      'a task run again has the arguments of the first, secrets included and hidden, and nothing of its call alone',
  },
  { id: 'SAND-281', source, claim: 'run again from a step, the steps before it are kept and not taken again' },
  { id: 'SAND-282', source, claim: 'a task that cannot be run again is refused by name' },
  { id: 'SAND-283', source, claim: 'who ran a task again is in its first event and in the audit' },
  { id: 'SAND-284', source, claim: 'a task of a queue that is run again stands in its queue again' },
  { id: 'SAND-285', source, claim: 'all ended tasks that a filter finds are run again at once, and no others' },
  { id: 'SAND-286', source, claim: 'a task is run again with other arguments, which are checked' },
  { id: 'SAND-287', source, claim: 'an artifact is saved whole as a file, and never shown as a page' },
  { id: 'SAND-288', source, claim: 'programs and deliveries are spans on the timeline, open while they last' },
  { id: 'SAND-289', source, claim: 'a task tells of the programs it starts, by name and number' },
  {
    id: 'SAND-290',
    source,
    claim: 'tasks are run again on the page: with other arguments, from a step, and by a filter',
  },
  { id: 'SAND-291', source, claim: 'the details of a task can be made wider, and the width is kept' },
  { id: 'SAND-292', source, claim: 'the time until a task is forgotten is counted down' },
  { id: 'SAND-293', source, claim: 'an artifact is downloaded from the card of its call and from its task' },
  { id: 'SAND-294', source, claim: 'several upstreams are shown apart, also one that is away' },
  { id: 'SAND-300', source, claim: 'kv prompts are answered on the page; secrets are masked there and in the file' },
  { id: 'SAND-301', source, claim: 'choice prompts are answered with a text or a list, within their bounds' },
  {
    id: 'SAND-302',
    source,
    claim: 'task_confirm prompts are answered with the tasks as they were changed, and a remark',
  },
  { id: 'SAND-303', source, claim: 'file_change_confirm prompts show their diff, and are answered or cancelled' },
  {
    id: 'SAND-304',
    source,
    claim: 'result prompts are seen with 知道了, and no kind has a serious fault of accessibility',
  },
  { id: 'SAND-305', source, claim: 'lines that are no entries are counted, and unknown kinds shown as they are' },
  {
    id: 'SAND-306',
    source,
    claim: 'a ChatOS plugin is called: yellow while pending, whatever session is open, with one text everywhere',
  },
  { id: 'SAND-307', source, claim: 'the AsyncTask Test calls tools of a plugin with arguments of their schema' },
  { id: 'SAND-315', source, claim: 'an idle page asks its server for nothing' },
  {
    id: 'SAND-320',
    source,
    claim: 'there is a picture of every screen, in both languages, light and dark, and all are small',
  },
  { id: 'SAND-321', source, claim: 'each colour of the page is written once, for light and for dark' },
  { id: 'SAND-310', source, claim: 'a dashboard below a path of a framework works as one at the root' },
];
