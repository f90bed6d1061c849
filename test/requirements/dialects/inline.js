// @ts-check

/**
 * Plain clients: hold the line, then hand over.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const inlineRequirements = [
  {
    id: 'HOLD-01',
    source: 'inline',
    claim: 'a call is held until shortly before its client gives up, as its profile says; an unknown client at 60 s',
  },
  {
    id: 'HOLD-02',
    source: 'inline',
    claim: 'for every profile, a tool three times longer than the limit ends with no time-out and one execution',
  },
  {
    id: 'HOLD-03',
    source: 'inline',
    claim: "progress is shown at least every progressEveryMs, and always rises, also after the tool's own numbers",
  },
  { id: 'HOLD-04', source: 'inline', claim: 'no progress without a token, and none after the answer' },
  {
    id: 'HOLD-05',
    source: 'inline',
    claim: 'a hand-over says: still running, how far, how long about, and which tool to call with which id',
  },
  { id: 'HOLD-06', source: 'inline', claim: 'the hand-over of a tool with an output schema is an error result' },
  {
    id: 'HOLD-07',
    source: 'inline',
    claim: 'a client without elicitation is told questions in words, answers with task_answer, and gets the result',
  },
  {
    id: 'HOLD-08',
    source: 'inline',
    claim: 'companion tools are listed only for clients without tasks, and their names cannot be taken',
  },
  {
    id: 'HOLD-09',
    source: 'inline',
    claim: 'task_wait waits within the patience of its client, and answers every id and wait in words',
  },
  { id: 'HOLD-10', source: 'inline', claim: 'task_cancel stops a call, and task_list finds calls again' },
  {
    id: 'HOLD-11',
    source: 'inline',
    claim:
      'the same call of the same principal and client joins one that was left or handed over, running or ended, also when the server that held it was killed',
  },
  {
    id: 'HOLD-12',
    source: 'inline',
    claim:
      "a call never joins one that is waited for, was delivered or cancelled, nor another client's, principal's or program's, nor one with other arguments",
  },
  {
    id: 'HOLD-13',
    source: 'inline',
    claim: 'an idempotency key always joins; a tool can turn joining off',
  },
  {
    id: 'HOLD-14',
    source: 'inline',
    claim:
      'a call that was left is cancelled after unattendedMs, by whichever process is there, also when its server was killed',
  },
  {
    id: 'HOLD-15',
    source: 'inline',
    claim:
      'a cancel ends a held call at once and a task_wait without its task; what was handed over is never cancelled by going away',
  },
  {
    id: 'HOLD-16',
    source: 'inline',
    claim:
      'SDK 1.32 and client 2.4 of both eras, without tasks, run a tool far longer than their time-out to its result, once',
  },
  {
    id: 'HOLD-17',
    source: 'inline',
    claim: 'kill -9 before and after every write of a hold: the work runs once, and a repeated call gets its result',
  },
];
