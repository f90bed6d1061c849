// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const packageRequirements = [
  {
    id: 'PKG-01',
    source: 'foundation',
    claim: 'a fresh clone needs only `npm start`: it installs, builds, runs the story and exits 0',
  },
  {
    id: 'PKG-02',
    source: 'foundation',
    claim: 'the story kills a worker in the middle, and every task is delivered within 30 s',
  },
  { id: 'PKG-03', source: 'foundation', claim: '`npm start` and `npm test` work again when run a second time' },
  {
    id: 'PKG-04',
    source: 'foundation',
    claim: '`npm test` ends with a line that counts what passed and failed, and fails when anything failed',
  },
  { id: 'PKG-05', source: 'foundation', claim: '`.ci/run` runs the gate, then the real tests once there are any' },
  { id: 'PKG-06', source: 'foundation', claim: 'installing needs no compiler and runs no install script' },
  {
    id: 'PKG-07',
    source: 'foundation',
    claim: 'another Node is fetched into .cache on demand, and none is a dependency',
  },
  { id: 'PKG-08', source: 'foundation', claim: 'an older Node gets one clear line' },
  { id: 'PKG-09', source: 'design', claim: 'every door exports exactly the pinned names' },
  {
    id: 'PKG-10',
    source: 'design',
    claim: 'every error code keeps its JSON-RPC number, HTTP status, exit code and retry advice',
  },
  { id: 'PKG-11', source: 'design', claim: 'the layers hold: a wrong import or an import cycle is refused' },
  { id: 'PKG-12', source: 'design', claim: 'no test sleeps instead of waiting for a state' },
  { id: 'PKG-13', source: 'foundation', claim: 'the README stays under 150 lines and ARCHITECTURE.md under two pages' },
  { id: 'PKG-14', source: 'foundation', claim: 'the bench prints each of its ratios as one JSON line' },
  { id: 'PKG-15', source: 'design', claim: 'the types of every door are found by every resolution of an ES module' },
];
