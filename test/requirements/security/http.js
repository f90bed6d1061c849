// @ts-check

const source = 'security';

/**
 * Security: who is let in over HTTP, and how much of the server one sender can use.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const httpSecurityRequirements = [
  {
    id: 'SEC-200',
    source,
    claim:
      'demo, monitor and codex --http print a URL and a random token, and let in nobody without it, whatever its uid',
  },
  { id: 'SEC-201', source, claim: 'that token outlives restarts, in a file of mode 0600 in the store directory' },
  { id: 'SEC-202', source, claim: '--no-auth lets everybody in, with --http only' },
  { id: 'SEC-203', source, claim: 'server.fetch without verify is refused unless unprotected: true asks for it' },
  { id: 'SEC-204', source, claim: 'listen needs exactly one of verify, token and unprotected: true' },
  {
    id: 'SEC-205',
    source,
    claim: 'listen takes a token, its own or random, on this machine only; a refused token is not repeated',
  },
  { id: 'SEC-210', source, claim: 'host, origin and verify are judged before anything of the body is read' },
  { id: 'SEC-211', source, claim: 'an upload without end by an unknown sender ends its connection' },
  {
    id: 'SEC-212',
    source,
    claim: 'a refused sender is not told to continue, and keeps its connection when its body was small',
  },
  { id: 'SEC-213', source, claim: 'headers and bodies that do not come in time end the connection' },
  {
    id: 'SEC-220',
    source,
    claim: 'open requests of one principal have a limit: 429 with Retry-After; others are served',
  },
  { id: 'SEC-221', source, claim: 'open requests have a limit in all: 503 with Retry-After' },
  { id: 'SEC-222', source, claim: 'bytes of bodies in flight have a limit, of one principal (429) and in all (503)' },
  {
    id: 'SEC-223',
    source,
    claim: 'sessions of one principal have a limit: unused ones make room, and come back when asked for',
  },
  { id: 'SEC-224', source, claim: 'sessions in use have a limit in all: 503 with Retry-After' },
  { id: 'SEC-225', source, claim: 'subscriptions of one principal have a limit: 429 with Retry-After' },
  { id: 'SEC-226', source, claim: 'connections have a limit in all' },
  {
    id: 'SEC-230',
    source,
    claim: 'a session that nobody uses is over after sessionMaxIdleMs, on every server of the store',
  },
  { id: 'SEC-231', source, claim: 'a session is over after sessionMaxAgeMs, with its open streams' },
  {
    id: 'SEC-232',
    source,
    claim: 'a session that was ended with DELETE is over on every server of the store, for good',
  },
  { id: 'SEC-233', source, claim: 'a session id holds of what its client says of itself only what is used' },
  {
    id: 'SEC-234',
    source,
    claim: 'what a store remembers of the sessions of one principal is bounded, and nothing ended comes back',
    test: {
      file: 'src/testing/contract/sessions.ts',
      title: 'beyond the limit the older half of the sessions of a principal is over, whether noted or not',
    },
  },
  {
    id: 'SEC-240',
    source,
    claim: 'server.key and http.token appear whole; an empty or damaged one is replaced with a warning',
  },
  {
    id: 'SEC-241',
    source,
    claim: 'neither is read through a link or from another user; one that others could read is replaced',
  },
  { id: 'SEC-242', source, claim: 'processes that make or replace a key at the same time get the same one' },
  {
    id: 'SEC-243',
    source,
    claim: 'pages of origins that the owner named pass, and of the server itself, and no others',
  },
  { id: 'SEC-244', source, claim: 'a 401 names the resource metadata when the owner gave it' },
  { id: 'SEC-245', source, claim: 'errors told over HTTP name no files; the owner finds them in the log' },
  {
    id: 'SEC-500',
    source,
    claim:
      'answers that a principal leaves unread have a limit in bytes, in both eras, and are counted until they have left',
  },
  {
    id: 'SEC-501',
    source,
    claim: 'requests that wait behind another on one connection end with it, and give up their places',
  },
  { id: 'SEC-502', source, claim: 'companion tools and failures of keys name no files and programs to remote clients' },
  { id: 'SEC-503', source, claim: 'a subscription tells how each of its tasks ended, however many there are' },
  {
    id: 'SEC-504',
    source,
    claim: 'a standing stream on which too much waits is closed, and what was not told is told on the next',
  },
];
