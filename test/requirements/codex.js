// @ts-check

const source = 'codex';

/** @type {readonly import('./requirements.js').Requirement[]} */
export const codexRequirements = [
  {
    id: 'CODEX-01',
    source,
    claim:
      'the prompt goes to the stdin of Codex, which works in the directory of the call; its last message is the result',
  },
  {
    id: 'CODEX-02',
    source,
    claim: 'Codex is run with workspace-write, asks nobody, and a model only when the owner names one',
  },
  { id: 'CODEX-03', source, claim: 'the next run in a window goes on with the thread of the last one' },
  { id: 'CODEX-04', source, claim: 'a run that exits with a code or fails says so, with the last failure Codex told' },
  { id: 'CODEX-05', source, claim: 'lines that are no JSON are kept as raw events and do not end a run' },
  { id: 'CODEX-06', source, claim: 'stderr is kept as events of at most 50,000 characters' },
  { id: 'CODEX-07', source, claim: 'a run ends when Codex has, whatever it left behind' },
  { id: 'CODEX-08', source, claim: 'a run in which Codex said nothing has a result all the same' },
  { id: 'CODEX-09', source, claim: 'the plan of Codex is shown in windowTasks' },
  {
    id: 'CODEX-10',
    source,
    claim: 'an answer over the cap is kept whole in a file, with its beginning and a resource_link in the result',
  },
  {
    id: 'CODEX-11',
    source,
    claim: '100 MB of output, in lines or in one line, take bounded memory and a bounded state file',
  },
  { id: 'CODEX-12', source, claim: 'a thread that cannot be resumed is replaced by a new one, with a warning' },
  {
    id: 'CODEX-13',
    source,
    claim: 'a run in which nothing happens is stopped, also when Codex repeats errors for ever',
  },
  { id: 'CODEX-14', source, claim: 'a run that takes longer than maxRunMs is stopped, and ends with a prompt' },
  {
    id: 'CODEX-20',
    source,
    claim: 'one run at a time in a window, in order of submission, each bound to its own result',
  },
  { id: 'CODEX-21', source, claim: 'windows run in parallel, and runs that wait for a window take up no slot' },
  { id: 'CODEX-22', source, claim: 'one window per working directory, whatever way leads to it' },
  {
    id: 'CODEX-23',
    source,
    claim: 'stopping a window ends the whole tree of processes, also those that ignore SIGTERM',
  },
  { id: 'CODEX-24', source, claim: 'a run that waits can be stopped alone' },
  { id: 'CODEX-25', source, claim: 'a window can be made before its first run; making it again changes nothing' },
  { id: 'CODEX-26', source, claim: 'the log of a window can be read on from a number' },
  { id: 'CODEX-27', source, claim: 'an unknown window is an error that names those there are' },
  { id: 'CODEX-28', source, claim: 'every end writes exactly one result prompt, with the text of the result' },
  { id: 'CODEX-29', source, claim: 'nothing of a queue is left behind when its runs are over' },
  { id: 'CODEX-30', source, claim: 'programs with queues of their own never run in one window at the same time' },
  { id: 'CODEX-31', source, claim: 'tickets that an older build left hold nobody up, and go' },
  { id: 'CODEX-32', source, claim: 'the lock of a window goes from a dead process to the next' },
  { id: 'CODEX-33', source, claim: 'a run that is broken off while it waits for a window leaves it to the others' },
  {
    id: 'CODEX-34',
    source,
    claim: 'a task that waits for something outside takes up no slot and none of its time, and hears of a cancel',
  },
  { id: 'CODEX-35', source, claim: 'a task that only waits is handed back by a worker that shuts down' },
  { id: 'CODEX-40', source, claim: 'the state file has the documented layout through the life of a run' },
  {
    id: 'CODEX-41',
    source,
    claim: 'several processes write the state file without losing a change, or what others keep there',
  },
  {
    id: 'CODEX-42',
    source,
    claim: 'changes of the state file are collected and written together, as a whole, mode 0600',
  },
  { id: 'CODEX-43', source, claim: 'a corrupt state file is kept aside with a warning, and a fresh one begun' },
  { id: 'CODEX-44', source, claim: 'an event is in the log of a window once' },
  { id: 'CODEX-45', source, claim: 'everything in the state file is bounded, and what is under way is never dropped' },
  {
    id: 'CODEX-46',
    source,
    claim: 'at start runs that nobody runs any more are failed as interrupted, and their windows idle',
  },
  {
    id: 'CODEX-50',
    source,
    claim: 'a run whose worker was killed is failed as interrupted, with one prompt, and its Codex is ended',
  },
  {
    id: 'CODEX-51',
    source,
    claim: 'runs that only waited when their worker was killed are run later, once, in their order',
  },
  { id: 'CODEX-52', source, claim: 'a run goes on when its server is killed, and its prompt is written' },
  {
    id: 'CODEX-53',
    source,
    claim: 'after all processes were killed the next start ends what is left and tells the truth',
  },
  {
    id: 'CODEX-60',
    source,
    claim: 'a call on stdio is acknowledged at once, then streamed, then completed, and nothing comes after',
  },
  { id: 'CODEX-61', source, claim: 'a host shows what Codex says while it runs, and gets the result' },
  {
    id: 'CODEX-62',
    source,
    claim: 'a call of the async contract without a taskId is -32602, and any call under --require-task-id',
  },
  {
    id: 'CODEX-63',
    source,
    claim: 'an async call stays pending until its prompt is there, and its result is the text of the prompt',
  },
  {
    id: 'CODEX-64',
    source,
    claim: 'another session of the host does not disturb a pending call, and each gets its own result',
  },
  { id: 'CODEX-70', source, claim: "a call without a prompt is -32602 'prompt is required'" },
  { id: 'CODEX-71', source, claim: 'a working directory that does not exist is -32602 and is named' },
  { id: 'CODEX-72', source, claim: 'a missing codex program is a named error with the remedy' },
  { id: 'CODEX-73', source, claim: 'a client places data only inside the roots that the owner allows' },
  { id: 'CODEX-74', source, claim: 'wrong options and configs are refused with their name and what is expected' },
  {
    id: 'CODEX-75',
    source,
    claim: 'a data directory that cannot be written ends the server at start with its own exit code',
  },
];
