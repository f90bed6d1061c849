// @ts-check

const source = 'postgres';

/**
 * PostgreSQL: the same promises on several machines.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const postgresStoreRequirements = [
  { id: 'PG-101', source, claim: 'the store in PostgreSQL fulfils the published contract' },
  { id: 'PG-102', source, claim: 'random histories of it agree with the model that the other stores agree with' },
  {
    id: 'PG-110',
    source,
    claim: 'stores that are used from several processes at once fulfil the contract of shared stores',
  },
  {
    id: 'PG-111',
    source,
    claim: 'only the worker of a lease may settle by it, whatever the fence',
    test: {
      file: 'src/testing/contract/tasks/fence.ts',
      title: 'a lease with a made-up fence, worker or task changes nothing',
    },
  },
  { id: 'PG-112', source, claim: 'processes of another boot count neither as alive nor as dead' },
  { id: 'PG-113', source, claim: 'connections that are dropped lose nothing and repeat nothing' },
  { id: 'PG-114', source, claim: 'an answer that is lost after COMMIT lets nothing happen twice' },
  { id: 'PG-115', source, claim: 'a server that is restarted is waited for' },
  { id: 'PG-116', source, claim: 'a process needs at most five connections' },
  { id: 'PG-117', source, claim: 'clocks of machines that differ do not matter: the time is that of the database' },
  { id: 'PG-120', source, claim: 'a detached worker opens the store by itself and outlives its submitter' },
  { id: 'PG-121', source, claim: 'a killed worker is replaced, and its work is run again or interrupted' },
  {
    id: 'PG-122',
    source,
    claim: 'a worker that is cut off stops its tools and their programs before others take its work',
  },
  {
    id: 'PG-250',
    source,
    claim: 'a silent worker of another machine is given up a beat after its lease, and never before its lease is over',
  },
  { id: 'PG-251', source, claim: 'a machine that is killed, cut off or stopped loses nothing and doubles nothing' },
  {
    id: 'PG-252',
    source,
    claim: 'no tool and no program of one runs on two machines at once, whatever their names and clocks',
  },
  { id: 'PG-253', source, claim: 'a machine that was cut off or stopped for longer than its lease changes nothing' },
  {
    id: 'PG-260',
    source,
    claim: 'a server that is killed loses nothing that it had acknowledged, and nothing is done twice',
  },
  {
    id: 'PG-261',
    source,
    claim: 'a hundred dropped connections, and one in twenty answers lost after COMMIT, let each task be done once',
  },
  { id: 'PG-262', source, claim: 'a failover to a synchronous standby loses nothing that was acknowledged' },
  {
    id: 'PG-263',
    source,
    claim:
      'a failover to an asynchronous standby loses what it lacks and nothing else, and leases of lost time are refused',
  },
  {
    id: 'PG-264',
    source,
    claim: 'a full disk of the database is named; what was acknowledged stays, and work goes on later',
  },
  {
    id: 'PG-265',
    source,
    claim: 'a store works through a pooler in transaction mode, with LISTEN on a direct address',
  },
  {
    id: 'PG-266',
    source,
    claim: 'a pooler that swallows announcements or prepared statements is told of, with what to set',
  },
  { id: 'PG-267', source, claim: 'two builds with different migrations on one schema cannot harm each other' },
  { id: 'PG-268', source, claim: 'a process in which nothing happens writes nothing but heartbeats' },
  {
    id: 'PG-270',
    source,
    claim: 'the contract of shared stores finds claims without the lock of the worker, no NOTIFY and no SKIP LOCKED',
  },
  {
    id: 'PG-316',
    source,
    claim: 'tasks that one process submits stand in the order in which it did, in a queue and without',
  },
  {
    id: 'PG-310',
    source,
    claim: 'an engine on it that is killed before or after the commit of any of its writes loses and repeats nothing',
  },
  { id: 'PG-311', source, claim: 'it is killed so at every crash point that an engine on PostgreSQL passes' },
  {
    id: 'PG-312',
    source,
    claim: 'a server on it or its detached worker, killed at any write of the hand-over, loses and repeats nothing',
  },
  {
    id: 'PG-271',
    source,
    claim:
      'a task that one process submits, runs and waits for takes two transactions and one read; many at once share them',
  },
  {
    id: 'PG-272',
    source,
    claim: 'a claim that shares the transaction of new tasks takes what is next, by the rules of every claim',
  },
  {
    id: 'PG-273',
    source,
    claim: 'a process that alone listens announces nothing, and whoever begins to listen hears of all that follows',
  },
  {
    id: 'PG-274',
    source,
    claim:
      'an outcome that its own process has written is not read, and still is each waiter’s own and only its principal’s',
  },
  { id: 'PG-275', source, claim: 'tasks that share a transaction share the room of their principal' },
  {
    id: 'PG-276',
    source,
    claim:
      'changes of a process and of others are told once each, in the order of their task, although only those are read',
  },
  { id: 'PG-130', source, claim: 'options that cannot be meant are refused by name' },
  { id: 'PG-131', source, claim: 'a wrong user, password or database is named, and no password is repeated' },
  { id: 'PG-132', source, claim: 'a server that is not there is named with its address' },
  { id: 'PG-133', source, claim: 'no agreement on TLS is named, with what to set' },
  { id: 'PG-134', source, claim: 'missing rights are named' },
  { id: 'PG-135', source, claim: 'a schema of another program or of a newer build is refused' },
  {
    id: 'PG-136',
    source,
    claim: 'a schema that a newer build has migrated takes no writes of older ones that are open',
  },
  { id: 'PG-137', source, claim: 'whoever may not migrate is told what is missing' },
  { id: 'PG-138', source, claim: 'any number of processes may open a fresh schema at once' },
  { id: 'PG-139', source, claim: 'a pool of the user is used and stays theirs' },
  { id: 'PG-140', source, claim: 'commands on tasks work on a store in PostgreSQL, by option or environment' },
  { id: 'PG-141', source, claim: 'a password on the command line is refused' },
];
