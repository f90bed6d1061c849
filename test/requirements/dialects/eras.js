// @ts-check

/**
 * Both MCP eras: what has been built of it so far.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const eraRequirements = [
  {
    id: 'ERA-01',
    source: 'eras',
    claim: 'the official suite passes all ten scenarios of the tasks extension',
    test: { file: 'test/real/clients/conformance-tasks.test.ts', title: '44 of 44 checks pass in all' },
  },
  {
    id: 'ERA-02',
    source: 'eras',
    claim:
      'a call that takes long gets a task from a client that declared the extension, and the task ends with its result',
    test: { file: 'test/real/clients/conformance-tasks.test.ts', title: '%s: %i checks pass' },
  },
  {
    id: 'ERA-03',
    source: 'eras',
    claim: 'a listener is acknowledged first, then told the state and every change',
    test: {
      file: 'test/server/http/http-listen.test.ts',
      title: 'acknowledges first, tells the state at once and every change until the end',
    },
  },
  {
    id: 'ERA-04',
    source: 'eras',
    claim: 'listening to tasks without the extension is -32021',
    test: {
      file: 'test/server/http/http-listen.test.ts',
      title: 'is refused without the extension, with the capability that is missing',
    },
  },
  {
    id: 'ERA-05',
    source: 'eras',
    claim: 'task ids and other filters go together on one subscription',
    test: {
      file: 'test/server/http/http-listen.test.ts',
      title: 'goes together with what else the client wants to hear of',
    },
  },
  {
    id: 'ERA-06',
    source: 'eras',
    claim: 'listening works over stdio too',
    test: {
      file: 'test/server/stdio/listen-stdio.test.ts',
      title: 'acknowledges first, and tells of the task until its end',
    },
  },
  {
    id: 'ERA-07',
    source: 'eras',
    claim: 'a 2025-11-25 task has exactly the fields of the specification',
    test: {
      file: 'test/dialects/tasks-2025/wire.test.ts',
      title: 'has exactly the fields of the specification, with times in ISO 8601',
    },
  },
  {
    id: 'ERA-08',
    source: 'eras',
    claim: 'a task-augmented call is answered with a task and nothing else',
    test: { file: 'test/dialects/tasks-2025/wire.test.ts', title: 'holds the task and nothing else' },
  },
  {
    id: 'ERA-09',
    source: 'eras',
    claim: 'tasks/cancel of an ended 2025-11-25 task is -32602',
    test: {
      file: 'test/dialects/tasks-2025/server.test.ts',
      title: 'is refused for a task that has ended, in the words of this dialect',
    },
  },
  {
    id: 'ERA-10',
    source: 'eras',
    claim: 'tasks/list pages through every task once',
    test: { file: 'test/dialects/tasks-2025/server.test.ts', title: 'goes through many tasks page by page, each once' },
  },
  {
    id: 'ERA-11',
    source: 'eras',
    claim: 'status changes are told once and in order',
    test: {
      file: 'test/dialects/tasks-2025/follower.test.ts',
      title: 'tells every change once and in order, with the whole task',
    },
  },
  {
    id: 'ERA-12',
    source: 'eras',
    claim: 'progress of a 2025-11-25 task only rises',
    test: { file: 'test/dialects/tasks-2025/follower.test.ts', title: 'leaves out every value that does not rise' },
  },
  {
    id: 'ERA-13',
    source: 'eras',
    claim: 'a request of ours names task and question by its id',
    test: {
      file: 'test/dialects/tasks-2025/follower.test.ts',
      title: 'asks by a request whose id names task and question, after the status has been told',
    },
  },
  {
    id: 'ERA-14',
    source: 'eras',
    claim: 'a session is adopted by any server on the same store',
    test: {
      file: 'test/server/http/http-sessions.test.ts',
      title: 'is taken up by another server on the same store, without a handshake',
    },
  },
  {
    id: 'ERA-15',
    source: 'eras',
    claim: 'any server records the answer to a question',
    test: {
      file: 'test/server/http/http-sessions.test.ts',
      title: 'lets another server record the answer to a question, which the first hears of',
    },
  },
  {
    id: 'ERA-16',
    source: 'seed-003',
    claim: 'the mode is auto, blocking or immediate_retry; an invalid one is auto with one warning',
    test: {
      file: 'test/dialects/tasks-2025/result-mode.test.ts',
      title: 'is auto with one warning that names variable, value and remedy when it is none',
    },
  },
  {
    id: 'ERA-17',
    source: 'seed-003',
    claim: 'option, HOLDFAST_ and MUNINN_ variables take precedence in this order',
    test: {
      file: 'test/dialects/tasks-2025/result-mode.test.ts',
      title: 'is taken from the option before HOLDFAST_, and from that before MUNINN_MCP_',
    },
  },
  {
    id: 'ERA-18',
    source: 'seed-003',
    claim: 'clients on the list are answered -32002 at once, others wait',
    test: {
      file: 'test/dialects/tasks-2025/task-result.test.ts',
      title: 'blocks until the task has ended, for a client that is not on the list',
    },
  },
  {
    id: 'ERA-19',
    source: 'seed-003',
    claim: 'wait: false is answered at once in every mode',
    test: {
      file: 'test/dialects/tasks-2025/task-result.test.ts',
      title: 'answers -32002 at once in mode %s when wait is false',
    },
  },
  {
    id: 'ERA-20',
    source: 'seed-003',
    claim: 'the wait is bounded by the host-safe budget',
    test: {
      file: 'test/dialects/tasks-2025/task-result.test.ts',
      title: 'gives the result within the budget when the task ends in time',
    },
  },
  {
    id: 'ERA-21',
    source: 'eras',
    claim: 'under immediate_retry a question is delivered all the same',
    test: {
      file: 'test/dialects/tasks-2025/task-result.test.ts',
      title: 'puts the question under immediate_retry as well, then answers -32002',
    },
  },
  {
    id: 'ERA-22',
    source: 'eras',
    claim: 'bad frames on stdio are answered and the next is read',
    test: { file: 'test/server/stdio/stdio-lines.test.ts', title: 'is refused with its id, and the next line is read' },
  },
  {
    id: 'ERA-23',
    source: 'eras',
    claim: 'what tools print never reaches the client',
    test: {
      file: 'test/server/stdio/stdout-guard.test.ts',
      title: 'carries frames and nothing else, whatever a program does with it',
    },
  },
  {
    id: 'ERA-24',
    source: 'eras',
    claim: 'a silent answer over HTTP is kept alive by comments, in both eras',
    test: {
      file: 'test/server/http/http-keep-alive.test.ts',
      title: 'follows comments on an event stream when it comes later (modern)',
    },
  },
  {
    id: 'ERA-25',
    source: 'eras',
    claim: 'a held call whose client goes away runs on for the grace time and is then cancelled',
    test: {
      file: 'test/server/http/http-gone.test.ts',
      title: 'leaves it unattended, and it is cancelled after the grace time',
    },
  },
  {
    id: 'ERA-26',
    source: 'eras',
    claim: 'a cancel after the answer, and a second one, are ignored',
    test: { file: 'test/server/http/http-gone.test.ts', title: 'may cancel what has been answered, and twice' },
  },
  {
    id: 'ERA-27',
    source: 'eras',
    claim: "another principal's task answers as an unknown one",
    test: {
      file: 'test/server/http/http-principals.test.ts',
      title: 'answers for the task of another as for one that is not there',
    },
  },
  {
    id: 'ERA-28',
    source: 'eras',
    claim: 'Host, Origin and body size are checked',
    test: {
      file: 'test/server/http/http-limits.test.ts',
      title: 'refuses requests addressed to other hosts or sent by pages of other origins',
    },
  },
  {
    id: 'ERA-29',
    source: 'eras',
    claim: 'without a verifier only this machine is served',
    test: { file: 'test/server/http/http-limits.test.ts', title: 'is not served to other machines without a verifier' },
  },
  {
    id: 'ERA-30',
    source: 'eras',
    claim: 'one registration serves client 2.4 in both eras over stdio',
    test: { file: 'test/real/clients/stdio-clients.test.ts', title: 'calls tools of every kind as if they were plain' },
  },
  {
    id: 'ERA-31',
    source: 'eras',
    claim: 'SDK 1.32 runs 2025-11-25 tasks with elicitation',
    test: {
      file: 'test/real/clients/stdio-clients.test.ts',
      title: 'is asked once inside a task, and the answer reaches the tool',
    },
  },
  {
    id: 'ERA-32',
    source: 'eras',
    claim: 'a task outlives its stdio server, however that ends',
    test: { file: 'test/e2e/outlives.test.ts', title: 'ended by %s, and the next one answers for it' },
  },
  {
    id: 'ERA-33',
    source: 'eras',
    claim: 'ext-tasks 0.2.2 runs, answers, cancels and resumes 2026-07-28 tasks over stdio and HTTP',
  },
  {
    id: 'ERA-34',
    source: 'eras',
    claim: 'ext-tasks 0.2.2 runs, answers, lists and cancels 2025-11-25 tasks over stdio and HTTP, without a deadlock',
  },
  {
    id: 'ERA-35',
    source: 'eras',
    claim:
      'after kill -9 of the server, alone or with its worker, the next one has the right outcome under the same id',
  },
  {
    id: 'ERA-36',
    source: 'eras',
    claim: 'after kill -9 of the worker, work that may be repeated is done again, and other work is interrupted',
  },
  {
    id: 'ERA-37',
    source: 'eras',
    claim: 'a second stdio server answers without a handshake for tasks of the first',
  },
  {
    id: 'ERA-38',
    source: 'eras',
    claim: "two processes behind one port serve each other's 2026-07-28 tasks",
  },
  {
    id: 'ERA-39',
    source: 'eras',
    claim: 'two processes behind one port share 2025-11-25 sessions, their tasks and their questions',
  },
  {
    id: 'ERA-40',
    source: 'eras',
    claim: 'a cancel of an answered request is ignored, also twice, on every transport and in both eras',
  },
  {
    id: 'ERA-41',
    source: 'eras',
    claim: 'a client that declared no tasks gets results and never a task',
  },
];
