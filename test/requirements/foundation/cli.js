// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const cliRequirements = [
  { id: 'CLI-01', source: 'foundation', claim: 'list shows the tasks of every principal, newest first, with filters' },
  { id: 'CLI-02', source: 'foundation', claim: 'show tells everything about one task' },
  { id: 'CLI-03', source: 'foundation', claim: 'tail follows a task of another process until it ends' },
  {
    id: 'CLI-04',
    source: 'foundation',
    claim: 'answer answers an open question, or names what was wrong with the answer',
  },
  { id: 'CLI-05', source: 'foundation', claim: 'cancel cancels a task of any principal' },
  { id: 'CLI-06', source: 'foundation', claim: 'prune removes finished tasks and says what it removed' },
  { id: 'CLI-07', source: 'foundation', claim: 'every command speaks JSON with --json' },
  { id: 'CLI-08', source: 'design', claim: 'an error is one line on stderr and the exit code of the table' },
  { id: 'CLI-09', source: 'design', claim: 'a wrong command or option names what is expected' },
  {
    id: 'CLI-10',
    source: 'foundation',
    claim: 'a store is named by path or by server name, and a missing one says so',
  },
  { id: 'CLI-11', source: 'foundation', claim: 'an ambiguous prefix of an id lists its candidates' },
];
