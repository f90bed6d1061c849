// @ts-check

const source = 'first hour: README and docs';

/**
 * First hour: README and docs.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const firstHourDocsRequirements = [
  {
    id: 'FIRST-500',
    source,
    claim: 'every fenced block of the README is run as it stands, from an empty folder to the result after a kill -9',
  },
  { id: 'FIRST-501', source, claim: 'the hand-over in the README is what a plain client is told in a real run' },
  { id: 'FIRST-502', source, claim: 'every fenced block of the tutorial is run, and prints what the page shows' },
  { id: 'FIRST-503', source, claim: 'the tutorial has a snippet for nine clients, each of which starts the server' },
  { id: 'FIRST-504', source, claim: 'the README can be followed with the packed package, installed by npm' },
  { id: 'FIRST-505', source, claim: 'the pages in Chinese have the code, the tables and the links of their originals' },
  { id: 'FIRST-506', source, claim: 'the picture of the README is drawn from a run of the commands that it shows' },
  { id: 'FIRST-507', source, claim: 'no link in the packed package is dead, neither its file nor its heading' },
  {
    id: 'FIRST-508',
    source,
    claim: 'the compose file and the unit of the operations page are valid, and their commands run',
  },
  { id: 'FIRST-509', source, claim: 'a backup taken as the operations page says is a whole store' },
  { id: 'FIRST-510', source, claim: 'the runtime of the ChatOS page gets every result, also after it was killed' },
  { id: 'FIRST-511', source, claim: 'words of ChatOS, Muninn and WKS stand only on the pages that explain them' },
  { id: 'FIRST-512', source, claim: 'a file that does not exist, or may not be looked at, is not monitored' },
  {
    id: 'FIRST-513',
    source,
    claim: 'the commands of the monitor print tables on a terminal, and JSON elsewhere or with --json',
  },
];
