// @ts-check

const source = 'hosts';

/**
 * Hosts as they are: the stream of a held call is cut, or its server stops.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const streamsHostsRequirements = [
  {
    id: 'HOSTS-250',
    source,
    claim: 'the stream of a held call begins with an event that has an id and no data, and each message has its own id',
  },
  { id: 'HOSTS-251', source, claim: 'clients of before 2025-11-25 get that id on an event of a name that they skip' },
  {
    id: 'HOSTS-252',
    source,
    claim:
      'any server on the store goes on after Last-Event-ID with what was not told, and runs nothing again; progress rises across the cut',
  },
  { id: 'HOSTS-253', source, claim: 'while its stream is cut a call counts as left; to resume takes it up again' },
  { id: 'HOSTS-254', source, claim: 'of several streams that resume one call the newest is told; the older ones end' },
  {
    id: 'HOSTS-255',
    source,
    claim: 'a lost answer that was fetched by resuming counts as delivered: the same call begins anew',
  },
  {
    id: 'HOSTS-256',
    source,
    claim: 'a resumed call is handed over when its client would give up, counted from the call',
  },
  {
    id: 'HOSTS-257',
    source,
    claim: 'the last id of a call that was answered or cancelled gets 405, so that no client comes back for ever',
  },
  { id: 'HOSTS-258', source, claim: 'a request whose ids would not fit a header is answered without ids' },
  {
    id: 'HOSTS-259',
    source,
    claim: 'a question that the client has received is not asked again on the resumed stream; one that it has not is',
  },
  {
    id: 'HOSTS-260',
    source,
    claim: 'ids that are forged, changed, too long, or of another session or principal get one and the same refusal',
  },
  { id: 'HOSTS-261', source, claim: 'no call can pretend to be a resumed one' },
  { id: 'HOSTS-262', source, claim: 'a resumed stream counts as an open request of its principal' },
  {
    id: 'HOSTS-263',
    source,
    claim:
      'SDK 1.x gets its answer wherever its stream is cut, every log line once; before the first byte it fails at once',
  },
  { id: 'HOSTS-264', source, claim: 'SDK 1.x comes back once for a call that ended as an error, and no more' },
  {
    id: 'HOSTS-265',
    source,
    claim:
      'a server that is closed ends its streams in good order: with an id, and a time to come back to the next server',
  },
  { id: 'HOSTS-266', source, claim: 'a closed server refuses with 503, Retry-After, and the end of the connection' },
  { id: 'HOSTS-267', source, claim: 'a server that is closed hands held calls of 2026-07-28 over' },
  { id: 'HOSTS-268', source, claim: 'streams of 2026-07-28 carry no ids' },
  { id: 'HOSTS-269', source, claim: 'a time to come back that cannot be used is refused by name' },
  { id: 'HOSTS-270', source, claim: 'the answer to a call whose server was killed is given by the next server' },
  { id: 'HOSTS-271', source, claim: 'a server that gets SIGTERM lets its clients go on at the next server' },
  { id: 'HOSTS-272', source, claim: 'streams of task_wait and of tasks/result are resumed like those of calls' },
];
