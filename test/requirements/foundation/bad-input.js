// @ts-check

/** @type {readonly import('../requirements.js').Requirement[]} */
export const badInputRequirements = [
  { id: 'INPUT-01', source: 'foundation', claim: 'a tool that throws ends with its error' },
  { id: 'INPUT-02', source: 'foundation', claim: 'a tool that returns nothing ends with an honest outcome' },
  { id: 'INPUT-03', source: 'foundation', claim: 'a result that cannot be serialised is a named error' },
  { id: 'INPUT-04', source: 'foundation', claim: 'a result of 100 MB is a named error' },
  { id: 'INPUT-05', source: 'foundation', claim: 'a tool that never yields loses its worker, not the other tasks' },
  { id: 'INPUT-06', source: 'foundation', claim: 'a tool that ignores its signal is ended as cancelled or timed out' },
  {
    id: 'INPUT-07',
    source: 'foundation',
    claim: 'a negative, fractional or huge ttl is refused, and the message says what is expected',
  },
  { id: 'INPUT-08', source: 'foundation', claim: 'a database that goes bad under a running engine is a named error' },
  { id: 'INPUT-09', source: 'foundation', claim: 'a read-only database is a named error' },
  { id: 'INPUT-10', source: 'foundation', claim: 'a locked database is a named error once the wait is over' },
  {
    id: 'INPUT-11',
    source: 'foundation',
    claim: 'a full disk is a named error for what does not fit, and nothing else is lost',
  },
  { id: 'INPUT-12', source: 'foundation', claim: 'a store without permission is a named error' },
  {
    id: 'INPUT-13',
    source: 'foundation',
    claim: 'arguments that are no JSON are refused before anything is written',
  },
  { id: 'INPUT-14', source: 'design', claim: 'an unknown tool or task is a named error' },
];
