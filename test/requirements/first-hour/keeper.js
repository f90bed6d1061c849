// @ts-check

const source = 'First hour: the host keeps its promise for servers that are not ours';
const faults = 'First hour: faults';

/**
 * First hour: the host keeps its promise for servers that are not ours.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const firstHourKeeperRequirements = [
  { id: 'FIRST-100', source, claim: 'a host tells the version, capabilities, name and instructions of a server' },
  {
    id: 'FIRST-101',
    source,
    claim: 'any request can be sent through a host, and its answer or error comes back as it is',
  },
  { id: 'FIRST-102', source, claim: 'a server is told when nobody waits for the answer to such a request any longer' },
  { id: 'FIRST-103', source, claim: 'notifications of a server are heard, and a host can send some' },
  { id: 'FIRST-104', source, claim: 'the tools of a server have types, and keep the fields that nobody here knows' },
  {
    id: 'FIRST-110',
    source: faults,
    claim: 'a call that had ended before it was taken up ends its updates at once, and its outcome is shown once',
  },
  { id: 'FIRST-111', source: faults, claim: 'cancelling a call that has ended changes nothing, and keeps its outcome' },
  {
    id: 'FIRST-112',
    source: faults,
    claim: 'calls are resumed from any directory, and a server that cannot be had keeps only its own calls pending',
  },
  { id: 'FIRST-120', source, claim: 'calls with the same key are one call, pending or ended, in any process' },
  { id: 'FIRST-121', source, claim: 'a key with another tool or other arguments is refused by a named conflict' },
  {
    id: 'FIRST-122',
    source,
    claim:
      'what was cut off is sent again only if its caller allows it, or its server marks it idempotent and read-only',
  },
  {
    id: 'FIRST-130',
    source,
    claim:
      'a host killed at any moment of a call to a server without tasks: the next gives its result once, and it ran once',
  },
  { id: 'FIRST-131', source, claim: 'an answer that comes while no host is there is in the ledger' },
  {
    id: 'FIRST-132',
    source,
    claim: 'what a server asks while no host is there is put to the next one',
    test: {
      file: 'test/host/keeper/describe-kills.ts',
      title: '[FIRST-132] [FIRST-157] hears what the server asked while nobody was there',
    },
  },
  {
    id: 'FIRST-133',
    source,
    claim: 'what a killed host had sent can be cancelled by the next one',
    test: {
      file: 'test/host/keeper/describe-kills.ts',
      title: '[FIRST-133] [FIRST-157] cancels what the killed one had sent',
    },
  },
  {
    id: 'FIRST-134',
    source,
    claim: 'when the keeper is killed too, a call ends as interrupted, or is repeated if it may be',
    test: {
      file: 'test/host/keeper/describe-kills.ts',
      title:
        '[FIRST-134] [FIRST-158] under a host that lives: what may not be repeated is interrupted, the rest comes back',
    },
  },
  {
    id: 'FIRST-135',
    source,
    claim: 'a server is ended by its keeper, with what it started, when no host is there and no call is open',
  },
  { id: 'FIRST-136', source, claim: 'what a server told of work while no host was there is told to the next one' },
  {
    id: 'FIRST-140',
    source,
    claim: 'requests of several hosts to one server are kept apart, and it shakes hands once',
  },
  {
    id: 'FIRST-141',
    source,
    claim: 'what a server asks is put to the host whose call is under way, and no other can answer it',
  },
  {
    id: 'FIRST-142',
    source,
    claim:
      'whoever takes up a call hears what was told and asked meanwhile, then the answer; what never came is told apart',
  },
  {
    id: 'FIRST-143',
    source,
    claim:
      'calls of a host that is gone go on until what became of them is on disk; whatever else it asked for is given up',
  },
  {
    id: 'FIRST-144',
    source,
    claim: 'a keeper keeps a limited heap of what was told, and says when something is missing',
  },
  {
    id: 'FIRST-145',
    source,
    claim: 'hosts on one ledger share one process of a server, which ends with the last of them',
  },
  { id: 'FIRST-146', source, claim: 'with `keeper: false` servers are children of their host' },
  { id: 'FIRST-147', source, claim: 'with a codec a keeper writes nothing, and the next host still gets the answer' },
  { id: 'FIRST-148', source, claim: 'a keeper that does not answer is waited for no longer than a handshake may take' },
  {
    id: 'FIRST-149',
    source,
    claim: 'a keeper whose ledger is gone ends, with its server and what it started: nobody can ask for the answers',
  },
  { id: 'FIRST-150', source, claim: 'a keeper lies in a directory and on a socket of its user alone' },
  { id: 'FIRST-151', source, claim: 'whoever does not know the token of a keeper gets nothing from it' },
  {
    id: 'FIRST-152',
    source,
    claim: "a keeper has no secret in its command line, and nothing of its server's own in its environment",
  },
  { id: 'FIRST-153', source, claim: "a directory that may be another user's is not used for a keeper" },
  {
    id: 'FIRST-154',
    source,
    claim: 'an answer that cannot be written down is tried again for an hour, or until a host has taken it up',
  },
  {
    id: 'FIRST-155',
    source,
    claim:
      'over HTTP too: a host killed at any moment of a call to a server without tasks, the next gives its result once',
  },
  { id: 'FIRST-156', source, claim: 'a stream that is cut while no host is there goes on from its last event id' },
  {
    id: 'FIRST-157',
    source,
    claim: 'over HTTP the next host answers what was asked of a killed one, and cancels what it had sent, in both eras',
  },
  {
    id: 'FIRST-158',
    source,
    claim: 'when the keeper of calls over HTTP is killed, they end as interrupted, or are repeated if they may be',
  },
  {
    id: 'FIRST-159',
    source,
    claim: 'URL and headers reach a keeper over its socket alone, and no file and no command line shows them',
  },
  {
    id: 'FIRST-160',
    source,
    claim: 'a host is killed during a long call to server-everything, and the next gives its result once',
  },
  {
    id: 'FIRST-161',
    source,
    claim: 'where there can be no keeper, servers are run without one, and that is told',
  },
  {
    id: 'FIRST-162',
    source,
    claim: 'stdio servers, and calls over HTTP to servers that are not ours, have a keeper unless it is turned off',
  },
  { id: 'FIRST-163', source, claim: 'a keeper lets go of calls that were ended in the ledger without it' },
  { id: 'FIRST-164', source, claim: 'a host that comes to a keeper which is just ending is given the next one' },
];
