// @ts-check

/**
 * What hosts do while a server starts, and how soon it is there.
 *
 * @type {readonly import('./requirements.js').Requirement[]}
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
  { id: 'HOSTS-240', source: 'hosts', claim: "the warning of Node's own SQLite is not printed; others are" },
];
