// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const storeRequirements = [
  { id: 'STORE-01', source: 'foundation', claim: 'the task contract has at most 16 verbs' },
  { id: 'STORE-02', source: 'foundation', claim: 'the memory store passes the published contract suite' },
  { id: 'STORE-03', source: 'foundation', claim: 'the SQLite store passes the published contract suite' },
  { id: 'STORE-04', source: 'foundation', claim: 'the contract suite runs under node:test as well as vitest' },
  { id: 'STORE-05', source: 'foundation', claim: 'random histories leave every store in the state of a simple model' },
  { id: 'STORE-06', source: 'foundation', claim: 'Node 22 runs the contract on its built-in node:sqlite' },
  { id: 'STORE-07', source: 'foundation', claim: 'Node 24 runs the contract on its built-in node:sqlite' },
  { id: 'STORE-08', source: 'foundation', claim: 'one file knows which SQLite there is' },
  {
    id: 'STORE-09',
    source: 'foundation',
    claim: 'the database is in WAL mode with synchronous=FULL unless told otherwise',
  },
  { id: 'STORE-10', source: 'design', claim: 'a promise resolves only when its change is on disk' },
  { id: 'STORE-11', source: 'foundation', claim: 'writes that wait together share one commit' },
  { id: 'STORE-12', source: 'foundation', claim: 'one failing write leaves the others of its group in place' },
  {
    id: 'STORE-13',
    source: 'foundation',
    claim: 'migrations only go forward, and many first opens at once all succeed',
  },
  { id: 'STORE-14', source: 'foundation', claim: 'several processes write to one file without starving each other' },
  { id: 'STORE-15', source: 'foundation', claim: 'a locked database delays a write without blocking the event loop' },
  { id: 'STORE-16', source: 'foundation', claim: 'another process sees a change within 50 ms' },
  { id: 'STORE-17', source: 'foundation', claim: 'waiting for changes is not a busy loop' },
  { id: 'STORE-18', source: 'foundation', claim: 'a database of a newer schema says so, with both versions' },
  { id: 'STORE-19', source: 'foundation', claim: 'a database of an older schema that cannot be migrated says so' },
  { id: 'STORE-20', source: 'foundation', claim: 'a corrupt database says so' },
  { id: 'STORE-21', source: 'foundation', claim: 'a database of another program is refused untouched' },
  { id: 'STORE-22', source: 'design', claim: 'the directory has mode 0700 and its files 0600' },
  {
    id: 'STORE-23',
    source: 'design',
    claim: 'the default directory follows HOLDFAST_DIR and the state directory, never the working directory',
  },
  {
    id: 'STORE-24',
    source: 'foundation',
    claim: 'ten submits at once with one key create one task',
    test: {
      file: 'src/testing/contract/tasks/create.ts',
      title: 'of ten creates at once with one key, one creates and nine join it',
    },
  },
  {
    id: 'STORE-25',
    source: 'foundation',
    claim: 'a key joins or conflicts until its tombstone is swept',
    test: {
      file: 'src/testing/contract/tasks/create.ts',
      title: 'a tombstone is joined and conflicts as its task did, until it is forgotten',
    },
  },
  {
    id: 'STORE-26',
    source: 'design',
    claim: 'a write with an old fence changes nothing',
    test: {
      file: 'src/testing/contract/tasks/fence.ts',
      title: 'a lease with a made-up fence, worker or task changes nothing',
    },
  },
  {
    id: 'STORE-27',
    source: 'design',
    claim: 'a change is announced only once it can be read',
    test: { file: 'src/testing/contract/changes.ts', title: 'a change can be read by the time it is announced' },
  },
  {
    id: 'STORE-28',
    source: 'design',
    claim: 'an outbox message is written in the settling transaction',
    test: {
      file: 'src/testing/contract/tasks/settle.ts',
      title: 'each delivery becomes one outbox message, whoever ends the task',
    },
  },
  {
    id: 'STORE-29',
    source: 'foundation',
    claim: 'a task is not expired while one of its messages is undelivered',
    test: {
      file: 'src/testing/contract/tasks/sweep.ts',
      title: 'a task is kept while a message of its is undelivered',
    },
  },
  {
    id: 'STORE-30',
    source: 'foundation',
    claim: 'a tombstone keeps id, principal, outcome kind and reason',
    test: {
      file: 'src/testing/contract/tasks/sweep.ts',
      title: 'a finished task whose time is up becomes a tombstone that says what happened',
    },
  },
  {
    id: 'STORE-31',
    source: 'foundation',
    claim: 'sweeping forgets old tombstones, which bounds the size of the store',
    test: { file: 'src/testing/contract/tasks/sweep.ts', title: 'old tombstones are forgotten, with their alias' },
  },
  {
    id: 'STORE-33',
    source: 'Gateway: calls',
    claim: 'the last holder of a cancelled task says once how its work was stopped',
    test: {
      file: 'src/testing/contract/tasks/release.ts',
      title: 'the last holder of a cancelled task says once how its work was stopped, and nobody else does',
    },
  },
  { id: 'STORE-32', source: 'foundation', claim: 'no verb reads the whole table of tasks or events' },
];
