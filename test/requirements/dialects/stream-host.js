// @ts-check

const source = 'streaming';

/**
 * Streamed runs as a host hears them, and as a program sees them that has only the state file.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const streamHostRequirements = [
  {
    id: 'SHOST-01',
    source,
    claim: 'a call that is only acknowledged is pending until its stream ends, with one outcome',
  },
  {
    id: 'SHOST-02',
    source,
    claim:
      'a foreign call streams when its run was told of, its server is said to, or its tool is known; others end at once',
  },
  {
    id: 'SHOST-03',
    source,
    claim: 'notifications are known by the id of their call, whether it is a number or a text',
  },
  {
    id: 'SHOST-04',
    source,
    claim: 'the final text is whole, in chunks of any order, or ends with the run if not counted',
  },
  { id: 'SHOST-05', source, claim: 'any order and any repetition of notifications gives the same outcome once' },
  { id: 'SHOST-06', source, claim: 'events are shown in order and once, and a hole is reported once' },
  {
    id: 'SHOST-07',
    source,
    claim: 'what the assistant said is shown whole, progress and status as such, the rest by line',
  },
  { id: 'SHOST-08', source, claim: 'an end without a text, a failure and an abort are outcomes too' },
  {
    id: 'SHOST-09',
    source,
    claim: 'neither an end before its text nor a text without an end is waited for without bound',
  },
  {
    id: 'SHOST-10',
    source,
    claim: 'a run whose connection is lost is asked for where it is a task, and is interrupted elsewhere',
  },
  { id: 'SHOST-11', source, claim: 'an abort after the acknowledgement reaches the run, with the ids it was told by' },
  { id: 'SHOST-12', source, claim: 'a restarted host finds a streamed call in its ledger' },
  { id: 'SHOST-13', source, claim: 'holdfast call prints what a run says as it comes, and its result on stdout' },
  { id: 'SHOST-14', source, claim: 'notifications with missing or wrong fields harm nobody' },
  { id: 'SHOST-20', source, claim: 'the watcher finds its run by its task, and by time only where there is none' },
  {
    id: 'SHOST-21',
    source,
    claim: 'the watcher gives every event once, also when the log is cut, cleared or unnumbered',
  },
  { id: 'SHOST-22', source, claim: 'the watcher passes over a file that is missing, half written or damaged' },
  { id: 'SHOST-23', source, claim: 'the watcher leaves no timer and no watch behind, however it ends' },
  { id: 'SHOST-24', source, claim: 'the watcher brings its interval into range and refuses options it cannot use' },
];
