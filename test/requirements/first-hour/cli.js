// @ts-check

const source = 'first hour: command line';

/**
 * First hour: command line.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const firstHourCliRequirements = [
  { id: 'FIRST-400', source, claim: 'an answer that a server refuses is asked for again at once, with the reason' },
  {
    id: 'FIRST-401',
    source,
    claim: 'a line that does not fit its field is told why, and the field is asked for again',
  },
  {
    id: 'FIRST-402',
    source,
    claim: 'nested objects, lists, choices and anything else a form can hold can be answered',
  },
  { id: 'FIRST-403', source, claim: 'nothing that a server names is a command for the editor of the user' },
  { id: 'FIRST-404', source, claim: 'no time left is shown while somebody has to answer; who, is said' },
  { id: 'FIRST-405', source, claim: 'waiting for answers teaches nothing of how long a tool works' },
  { id: 'FIRST-410', source, claim: '`holdfast` without a command shows what one can do' },
  { id: 'FIRST-411', source, claim: 'commands on tasks look in all stores of the user unless one is named' },
  { id: 'FIRST-412', source, claim: '`where` shows where everything lies, what is open there and who works' },
  {
    id: 'FIRST-413',
    source,
    claim: 'ids are short enough to type; one that fits several is refused with the candidates',
  },
  {
    id: 'FIRST-414',
    source,
    claim: '`tasks answer` without an answer asks on a terminal, and elsewhere shows an example',
  },
  { id: 'FIRST-415', source, claim: '`--json` is one document per line everywhere, for lists one per entry' },
  { id: 'FIRST-416', source, claim: '`logs` shows what a task has logged' },
  { id: 'FIRST-417', source, claim: 'servers are called as people would call them: by their command or their name' },
  {
    id: 'FIRST-418',
    source,
    claim: '`init` makes a server that compiles, whose test passes and whose tool can be called',
  },
  { id: 'FIRST-419', source, claim: 'on a terminal the demo says what it is and how to connect; it shows eight tools' },
  { id: 'FIRST-420', source, claim: 'docs/cli.md and docs/errors.md are made from the program, and up to date' },
  { id: 'FIRST-421', source, claim: 'docs/errors.md says of every code what it means and what to do' },
  { id: 'FIRST-422', source, claim: 'while a call is waited for its id is shown, and d leaves with one key' },
  { id: 'FIRST-423', source, claim: 'shells complete the new commands too' },
];
