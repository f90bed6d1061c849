// @ts-check

const source = 'streaming';

/**
 * Calls that are answered by a stream of notifications, and what a tool says of its calls.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const streamRequirements = [
  {
    id: 'STREAM-01',
    source,
    claim: 'what a tool prepares of the raw call is kept with the task and given to its work',
  },
  { id: 'STREAM-02', source, claim: 'a tool refuses a call before its task is written; INVALID_ARGUMENT is -32602' },
  { id: 'STREAM-03', source, claim: 'asyncTask.optional: only calls with a task id are under the contract' },
  {
    id: 'STREAM-04',
    source,
    claim: 'asyncTask.optional: a call with chatos or asyncTask and without a task id is -32602',
  },
  { id: 'STREAM-05', source, claim: 'requireTaskId: any call of a tool with asyncTask is -32602 without a task id' },
  { id: 'STREAM-06', source, claim: 'asyncTask.promptAlways: every call that ends writes exactly one result prompt' },
  { id: 'STREAM-07', source, claim: 'options of streaming that cannot be used are refused by name' },
  {
    id: 'STREAM-10',
    source,
    claim: 'a streamed call is acknowledged at once; every notification of it comes after that answer, in order',
  },
  {
    id: 'STREAM-11',
    source,
    claim:
      '<app>.window_run.stream has requestId, rpcId, windowId, runId, sessionId, event with seq, ts, source and event, and text',
  },
  {
    id: 'STREAM-12',
    source,
    claim: 'the end is the final text, done with status and finishedAt, and <app>.window_run.completed, once each',
  },
  {
    id: 'STREAM-13',
    source,
    claim:
      'statuses are completed, failed and aborted; the final text of a failure is its error, and it is never empty',
  },
  {
    id: 'STREAM-14',
    source,
    claim: 'the final text comes in chunks of 4000 UTF-16 units that split no surrogate pair, with LF for CRLF',
  },
  { id: 'STREAM-15', source, claim: 'a streamed call is acknowledged at once also when the queue is long' },
  {
    id: 'STREAM-16',
    source,
    claim: 'rpcId is the id of the call as it came, text or number; sessionId comes from _meta',
  },
  { id: 'STREAM-17', source, claim: 'each call that shares a task hears its own story with one end' },
  {
    id: 'STREAM-18',
    source,
    claim: '_meta.stream true, then what the client declares, then the tool decide; _meta.stream false is none',
  },
  { id: 'STREAM-19', source, claim: '_meta.taskId: the async contract, no stream, and completed once' },
  { id: 'STREAM-20', source, claim: 'a tool that streams tells completed once whatever form its call was answered in' },
  { id: 'STREAM-21', source, claim: '_meta.stream of a wrong type is -32602' },
  { id: 'STREAM-22', source, claim: 'stdio: both eras are streamed to' },
  { id: 'STREAM-23', source, claim: 'legacy HTTP: the standing stream tells a run; one opened late all of it, once' },
  {
    id: 'STREAM-24',
    source,
    claim: 'legacy HTTP: after a lost stream the next tells the run from its beginning, its end once',
  },
  { id: 'STREAM-25', source, claim: 'legacy HTTP: a run is told on whichever server the stream is open, its end once' },
  { id: 'STREAM-26', source, claim: 'modern HTTP has no such stream: the declared dialect, or the call is held' },
  { id: 'STREAM-27', source, claim: 'HTTP: no more than a few frames wait for a slow reader' },
  {
    id: 'STREAM-28',
    source,
    claim: 'a client that stopped reading gets what is kept, a gap for what was trimmed, and the whole final text',
  },
  { id: 'STREAM-29', source, claim: 'a client that does not read makes memory grow by no more than a bound' },
  { id: 'STREAM-30', source, claim: 'formatRunEvent writes one line for each event, as documented' },
  { id: 'STREAM-31', source, claim: 'every event of a task is one event of its run, numbered without holes' },
  {
    id: 'STREAM-34',
    source,
    claim: 'for a client that reads slowly, events are put together before any is dropped; no number is lost by that',
  },
  { id: 'STREAM-33', source, claim: 'a tool whose plain calls are streamed is listed without its output schema' },
  {
    id: 'STREAM-32',
    source,
    claim: 'an event after a silence is written at once; those that follow closely are written together',
  },
];
