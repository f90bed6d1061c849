// @ts-check

const LOG = 'ui-prompts: the log';
const HOST = 'ui-prompts: the host half';
const APP = 'ui-prompts: the app half';

/** @type {readonly import('./requirements.js').Requirement[]} */
export const uiPromptsRequirements = [
  {
    id: 'UIP-01',
    source: LOG,
    claim: 'each of the fourteen faults of the first poller is shown on a port and absent here',
  },
  { id: 'UIP-02', source: LOG, claim: 'a log that is moved, deleted, made anew or rewritten loses no result' },
  { id: 'UIP-03', source: LOG, claim: 'a result that was written before the wait began is found' },
  { id: 'UIP-04', source: LOG, claim: 'a result matches by type, action, kind and the id alone or behind the prefix' },
  {
    id: 'UIP-05',
    source: LOG,
    claim: 'polling finds what watching does not tell, also in a directory that comes later',
  },
  { id: 'UIP-06', source: LOG, claim: 'a wait stops with its signal, and nothing is kept when nobody waits' },
  { id: 'UIP-07', source: LOG, claim: 'CR LF, byte order marks, escapes and entries of 10 MB are read' },
  {
    id: 'UIP-08',
    source: LOG,
    claim: 'hostile lines are skipped and counted, and the first of several results counts',
  },
  { id: 'UIP-09', source: LOG, claim: 'a mark saves reading what cannot matter, and is not trusted after a rewrite' },
  { id: 'UIP-10', source: LOG, claim: 'one reader serves everybody who waits on a log' },
  { id: 'UIP-11', source: LOG, claim: 'random appends, splits, rotations, rewrites and cuts lose and double nothing' },
  {
    id: 'UIP-12',
    source: APP,
    claim: 'a result is written once per id, with a single write, into a file of mode 0600',
  },
  { id: 'UIP-13', source: APP, claim: 'several processes write at once, and a killed writer holds up nobody' },
  { id: 'UIP-14', source: APP, claim: 'a log that reaches its size rotates without losing what is unread' },
  { id: 'UIP-15', source: APP, claim: 'secrets are never in the log in clear text' },
  { id: 'UIP-16', source: APP, claim: 'prompts and responses of every kind are checked and refused by name' },
  { id: 'UIP-17', source: APP, claim: 'pending is the last request of each id without any response' },
  { id: 'UIP-18', source: HOST, claim: 'asyncTask is read with the documented defaults and ranges' },
  {
    id: 'UIP-19',
    source: HOST,
    claim: 'a field of a wrong type is an error that names field, value and what is legal',
  },
  { id: 'UIP-20', source: HOST, claim: 'no path leaves the state directory unless the owner allows it' },
  { id: 'UIP-21', source: HOST, claim: 'a plugin.json says how to reach the server and what its calls carry' },
  { id: 'UIP-22', source: HOST, claim: 'a plugin.json that is wrong is refused by name' },
  { id: 'UIP-23', source: HOST, claim: 'the id goes out in _meta with stream false, never in the arguments' },
  { id: 'UIP-24', source: HOST, claim: 'the outcome is the text of the prompt, found by the handle alone' },
  { id: 'UIP-25', source: HOST, claim: 'a call that nobody waits for any longer gets no outcome' },
  {
    id: 'UIP-26',
    source: HOST,
    claim: 'the task store adds status and details, and ends a call only when its prompt is 60 s late',
  },
  { id: 'UIP-27', source: HOST, claim: 'a cancel goes to the tool the app has for it, also after the acknowledgement' },
  { id: 'UIP-28', source: HOST, claim: 'a wait without a result says what the log holds instead' },
  { id: 'UIP-29', source: APP, claim: 'the task store keeps every field and whatever else is in the file' },
  { id: 'UIP-30', source: APP, claim: 'a served call is acknowledged at once and its result is written as one prompt' },
  { id: 'UIP-31', source: APP, claim: 'a missing, empty, blank or non-text task id is -32602' },
  { id: 'UIP-32', source: APP, claim: 'a repeated task id joins the first task; with other arguments it is refused' },
  { id: 'UIP-33', source: APP, claim: 'every end of the work is written as a result prompt' },
  { id: 'UIP-34', source: APP, claim: 'a prompt is written once although the server was killed' },
  { id: 'UIP-35', source: APP, claim: 'a call may ask for the contract, and other calls are left as they are' },
  { id: 'UIP-36', source: APP, claim: 'a directory outside of the roots is ignored' },
];
