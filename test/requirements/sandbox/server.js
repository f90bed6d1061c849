// @ts-check

const source = 'Sandbox: the server';

/**
 * What serves the page.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const sandboxServerRequirements = [
  { id: 'SAND-120', source, claim: 'nothing is open without the token, which becomes a cookie that is not the token' },
  { id: 'SAND-121', source, claim: 'other names of the machine and pages of other sites are refused' },
  { id: 'SAND-122', source, claim: 'every answer carries a policy without inline scripts; no file outside is served' },
  { id: 'SAND-123', source, claim: 'a dashboard is closed unless its owner says how it is opened' },
  { id: 'SAND-124', source, claim: 'a verified person sees their own tasks, and only the operator sees workers' },
  { id: 'SAND-125', source, claim: 'secrets are never sent to the page' },
  { id: 'SAND-126', source, claim: 'tasks are answered and cancelled from the page, which is kept with what was done' },
  { id: 'SAND-127', source, claim: 'tasks are found by status, tool, principal, label and text' },
  { id: 'SAND-129', source, claim: 'all tasks that a filter finds are cancelled at once, and no others' },
  {
    id: 'SAND-128',
    source,
    claim: 'a stream that was cut goes on by its cursor, or says that everything is to be read anew',
  },
  { id: 'SAND-140', source, claim: 'a taken port is passed over, and a server that fails is shown with what it said' },
  { id: 'SAND-141', source, claim: 'a restart of the sandbox loses no call' },
  { id: 'SAND-142', source, claim: 'wrong options and a corrupt store are named' },
  { id: 'SAND-143', source, claim: 'the dashboard of a store needs its token and has no fault injection' },
  { id: 'SAND-144', source, claim: 'the dashboard makes no store of a mistyped path' },
];
