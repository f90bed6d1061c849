// @ts-check

const source = 'postgres';

/**
 * PostgreSQL: moving a store, and running it on several machines.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const postgresOperationsRequirements = [
  { id: 'PG-200', source, claim: 'a store moves to PostgreSQL and back with all it holds, and is worked on there' },
  { id: 'PG-201', source, claim: 'a copy that was broken off anywhere is completed by the next run' },
  { id: 'PG-202', source, claim: 'a copy goes to an empty store only, and to one at a time' },
  { id: 'PG-203', source, claim: 'a copy closes its source, and its target until it is whole' },
  { id: 'PG-204', source, claim: 'no column of a store is forgotten by copies' },
  {
    id: 'PG-205',
    source,
    claim: 'a store at work is copied by a command that may be killed, and its work goes on there',
  },
  { id: 'PG-206', source, claim: 'a copy that is given up is undone by a command' },
  { id: 'PG-207', source, claim: 'a copy takes along the keys that lie beside a store' },
  { id: 'PG-210', source, claim: 'a server with workers: none takes calls and runs no task' },
  {
    id: 'PG-211',
    source,
    claim: 'holdfast worker runs the tasks of a program on any machine, and hands them back when it is told to stop',
  },
  { id: 'PG-220', source, claim: 'held calls of a machine that is gone are released' },
  {
    id: 'PG-313',
    source,
    claim: 'a call held by a machine that is killed is run once: the same call on another machine gets its result',
  },
  { id: 'PG-314', source, claim: 'one that nobody repeats there is cancelled after its grace time, and no other is' },
  {
    id: 'PG-315',
    source,
    claim: 'a call with an idempotency key takes it up at once, and its wait outlives the release of the first',
  },
  { id: 'PG-240', source, claim: 'a database that is too old is refused, with its version' },
  { id: 'PG-241', source, claim: 'who may not use the schema or write its tables is told which, and what to grant' },
  { id: 'PG-242', source, claim: 'a store of another name is refused' },
  { id: 'PG-243', source, claim: 'TLS that the server requires, or whose certificate is not trusted, is named' },
  { id: 'PG-245', source, claim: 'the dashboard works on a store in PostgreSQL' },
  {
    id: 'PG-246',
    source,
    claim: 'the example with three replicas and two workers runs: a call outlives both of its processes',
  },
  { id: 'PG-247', source, claim: 'chaos runs over a store in PostgreSQL, in a schema of its own' },
  { id: 'PG-248', source, claim: 'a soak runs over a store in PostgreSQL that is for the soak alone' },
  { id: 'PG-230', source, claim: 'sessions, tasks and Last-Event-ID streams of one replica are good at any other' },
  { id: 'PG-231', source, claim: 'keys lie in a shared store, so that any process opens what another has sealed' },
  { id: 'PG-221', source, claim: 'workers compare what they run with what the store says that they hold' },
  {
    id: 'PG-290',
    source,
    claim:
      'what a worker left running on one host stays on record when another host buries it, until it is ended there',
  },
  {
    id: 'PG-291',
    source,
    claim:
      'every process ends what workers of its own host left, whoever buried them, and looks for it only when it must',
  },
  { id: 'PG-292', source, claim: 'programs of hosts that never come back are forgotten after a week' },
  { id: 'PG-293', source, claim: 'a store of the version before keeps its programs on record from then on' },
  {
    id: 'PG-294',
    source,
    claim:
      'a program whose worker was killed on one machine is ended by what starts there next, after another took over',
  },
  {
    id: 'PG-296',
    source,
    claim:
      'a commit whose answer was lost is told by what it wrote: after a crash its number may be that of another one',
  },
  {
    id: 'PG-295',
    source,
    claim:
      'a worker that cannot renew stops its tools before its lease ends, also while another thread takes its beats over',
  },
];
