// @ts-check

/**
 * What is promised to whoever changes the code: checks in seconds, and tests that say where their time goes.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const loopRequirements = [
  {
    id: 'ROOMS-200',
    source: 'rooms',
    claim: '`npm run check` checks types, lint, layers and pure tests from source, and closes with the count',
  },
  {
    id: 'ROOMS-201',
    source: 'rooms',
    claim: '`npm test` names the ten slowest test files before its count, and keeps the times of all',
  },
  {
    id: 'ROOMS-205',
    source: 'rooms',
    claim: 'a file that failed beside the others is run once more alone, and named when it passes',
  },
  {
    id: 'ROOMS-206',
    source: 'rooms',
    claim: 'a long table of cases is tried in part by `npm test`, and whole by `npm run test:real`',
  },
  {
    id: 'ROOMS-202',
    source: 'rooms',
    claim: 'pure tests reach neither the build nor a process, a server or a database: by a rule, not by a list',
  },
  { id: 'ROOMS-203', source: 'rooms', claim: 'a pure test that starts a process fails' },
  {
    id: 'ROOMS-330',
    source: 'rooms',
    claim: 'Programs of tests run on a bundle with fewer files, made for exactly the build and the programs there are',
  },
  {
    id: 'ROOMS-331',
    source: 'rooms',
    claim: 'In the bundle every module finds what it looks for beside itself: threads, programs, the manifest',
  },
  {
    id: 'ROOMS-332',
    source: 'rooms',
    claim:
      'The package as it is shipped keeps a task when server and worker are killed, without the bundle of the tests',
  },
  { id: 'ROOMS-333', source: 'rooms', claim: 'programs of tests are compiled once for a whole run' },
  {
    id: 'ROOMS-334',
    source: 'rooms',
    claim: 'programs of tests do not read extra certificates at every start; what fetches packages still does',
  },
  {
    id: 'ROOMS-340',
    source: 'rooms',
    claim: 'A store that is gone for good stops what runs, whichever part of the engine hears of it first',
  },
  {
    id: 'ROOMS-341',
    source: 'rooms',
    claim: '`until` says what it waited for, with the text of the probe where nobody gave it words',
  },
  {
    id: 'ROOMS-342',
    source: 'rooms',
    claim: '`npm run check` finds every door of the package in its source, without a build',
  },
];
