// @ts-check

const source = 'security';

/**
 * Security: the monitor under hostile patterns and unreadable directories.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const monitorSecurityRequirements = [
  { id: 'SEC-380', source, claim: 'a pattern of many stars takes no longer than its length times that of the path' },
  { id: 'SEC-381', source, claim: 'globs match what fnmatchcase matches, whatever is in them' },
  {
    id: 'SEC-382',
    source,
    claim: 'entries of the config that are too long, too many or too much in all are refused with the limit',
  },
  {
    id: 'SEC-383',
    source,
    claim: 'a path that may not be read, or is missing, is a failure with the path in details, never a sync of 0 files',
  },
  { id: 'SEC-384', source, claim: 'what could not be read of a tree is counted and named, and what was known stays' },
  {
    id: 'SEC-385',
    source,
    claim: 'a sync is estimated from its files and bytes and the pace measured before, at first with 1 s per 100 files',
  },
  { id: 'SEC-386', source, claim: 'the estimate tells nothing of what lies outside the allowed roots' },
  {
    id: 'SEC-387',
    source,
    claim: 'a client written from the description of two-stage tools alone is served by holdfast monitor --bare-jobs',
  },
  { id: 'SEC-388', source, claim: 'clients whose profile says so get the bare form without being asked for it' },
  {
    id: 'SEC-389',
    source,
    claim: 'names of files do nothing to the terminal that shows the answer of a monitor command',
  },
  {
    id: 'SEC-390',
    source,
    claim:
      'work whose server and worker are killed before the worker registers begins again without waiting for startMs',
  },
  {
    id: 'SEC-391',
    source,
    claim: 'a worker killed before it registers is replaced once by another; then the server runs the work and says so',
  },
  {
    id: 'SEC-392',
    source,
    claim: 'a worker whose server is killed while it starts takes its place anew and does the work',
  },
  {
    id: 'SEC-393',
    source,
    claim: 'files that grow, pipes and planted configs neither hold up a sync nor change what it does',
  },
];
