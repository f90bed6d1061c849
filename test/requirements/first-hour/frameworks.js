// @ts-check

const source = 'first-hour';

/**
 * First hour: frameworks and bundlers.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const firstHourFrameworksRequirements = [
  { id: 'FIRST-200', source, claim: 'under Hono, Express and Fastify a call outlives kill -9 of the serving process' },
  { id: 'FIRST-201', source, claim: 'and does so in a program that knows only fetch or node, and never calls start' },
  { id: 'FIRST-202', source, claim: 'a program that cannot be run again names a file that is its worker' },
  { id: 'FIRST-203', source, claim: 'when no worker can be had one line says so, with its last words and the remedy' },
  { id: 'FIRST-204', source, claim: 'a call under Next, in a route handler, outlives kill -9 of the serving process' },
  { id: 'FIRST-205', source, claim: 'server.node takes bodies that a parser of the framework has read before' },
  { id: 'FIRST-206', source, claim: 'a request whose body is gone is answered, with the remedy, and reported' },
  { id: 'FIRST-207', source, claim: 'fetch with a request of Node, and node with one of the web, name the other' },
  { id: 'FIRST-208', source, claim: 'server.node lets nobody in who is not verified, and shows verify the whole URL' },
  { id: 'FIRST-209', source, claim: 'a worker does not listen on a port before its work loop, and its tools may' },
  { id: 'FIRST-210', source, claim: 'a workerEntry that is no file is refused at start' },
  { id: 'FIRST-211', source, claim: 'the page about frameworks shows the examples as they are tested' },
  {
    id: 'FIRST-220',
    source,
    claim: 'a server bundled by esbuild or rolldown works: its heartbeat thread is in the bundle',
  },
  { id: 'FIRST-221', source, claim: 'a bundle without any SQLite refuses to start, and names the remedy' },
  { id: 'FIRST-222', source, claim: 'a worker that cannot work ends' },
  { id: 'FIRST-223', source, claim: 'a bundle that was moved away needs nothing but a Node that has SQLite' },
];
