// @ts-check

/**
 * What hosts do while a server starts, and how soon it is there.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const hostsStartRequirements = [
  {
    id: 'HOSTS-200',
    source: 'hosts',
    claim: 'a client on stdio that begins with a Content-Length header is read and answered in such frames',
  },
  {
    id: 'HOSTS-201',
    source: 'hosts',
    claim: 'a header that is wrong, too long or announces too much is refused by name, and the next message is read',
  },
  { id: 'HOSTS-202', source: 'hosts', claim: 'a soak over frames passes against the demo server' },
  {
    id: 'HOSTS-205',
    source: 'hosts',
    claim: 'a client known to ask again is refused the initialize after its late probe once, and gets tasks',
  },
  {
    id: 'HOSTS-206',
    source: 'hosts',
    claim: 'who insists on initialize, has not probed or is not known to ask again, is served',
  },
  {
    id: 'HOSTS-220',
    source: 'hosts',
    claim: 'the first answer on stdio is given before SQLite, engine, HTTP and SDK are loaded',
  },
  { id: 'HOSTS-221', source: 'hosts', claim: 'what is answered so early is what would be answered later, once' },
  {
    id: 'HOSTS-222',
    source: 'hosts',
    claim: 'a store that cannot be opened ends a server on stdio with its error, also after the first answer',
  },
  {
    id: 'HOSTS-230',
    source: 'hosts',
    claim: 'the start of a worker does not count against inlineMs, which runs from the claim',
  },
  {
    id: 'HOSTS-231',
    source: 'hosts',
    claim: 'however late the worker, a handle is given before the client gives up; a busy worker is no late one',
  },
  {
    id: 'HOSTS-232',
    source: 'hosts',
    claim:
      'a client on stdio that lists tools and stays finds a worker at its first call; it is started once, and ends idle',
  },
  {
    id: 'HOSTS-233',
    source: 'hosts',
    claim: 'who lists tools and leaves leaves no worker, nor does a server that ends while it loads',
  },
  {
    id: 'HOSTS-235',
    source: 'hosts',
    claim: 'a host that is closed right after an abort still stops the work whose handle is on its way',
  },
  { id: 'HOSTS-234', source: 'hosts', claim: 'warmWorker is true or false' },
  { id: 'HOSTS-240', source: 'hosts', claim: "the warning of Node's own SQLite is not printed; others are" },
  {
    id: 'HOSTS-390',
    source: 'hosts',
    claim: 'a program that ends right after its start is not aborted by the thread that it is still loading',
  },
];
