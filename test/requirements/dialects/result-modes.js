// @ts-check

/**
 * How tasks/result treats a task that has not ended: seed 003 and the system it was written for, whose texts are kept.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const resultModeRequirements = [
  {
    id: 'MODE-01',
    source: 'seed 003 §Implemented 1',
    claim:
      'the mode is auto unless chosen; then a client that is not on the list waits to the end, and comments keep its stream alive',
  },
  {
    id: 'MODE-02',
    source: 'seed 003 §Implemented 2',
    claim:
      'in auto the clients of the list are answered at once: claude desktop, claude code, cursor, windsurf and continue, by the names they really report',
  },
  {
    id: 'MODE-03',
    source: 'seed 003 §Implemented 5',
    claim: 'the answer is -32002 in the words of the seed, with taskId, status and retryAfterMs',
  },
  {
    id: 'MODE-04',
    source: 'seed 003 §Implemented 2',
    claim: 'the list can be given as an option',
  },
  {
    id: 'MODE-05',
    source: 'seed 003 §Implemented 1',
    claim: 'in immediate_retry everybody is answered at once',
  },
  {
    id: 'MODE-06',
    source: 'seed 003 §Implemented 1',
    claim: 'in blocking everybody waits',
  },
  {
    id: 'MODE-07',
    source: 'seed 003 §Implemented 5',
    claim: 'a task that has ended is answered with what it came to in every mode, and again',
  },
  {
    id: 'MODE-08',
    source: 'seed 003 §Implemented 3',
    claim: 'wait true waits in every mode',
  },
  {
    id: 'MODE-09',
    source: 'seed 003 §Implemented 3',
    claim: 'wait false is answered at once in every mode',
  },
  {
    id: 'MODE-10',
    source: 'seed 003 §Implemented 4',
    claim: 'a wait that is no boolean is -32602 in the words of the seed; null is none',
  },
  {
    id: 'MODE-11',
    source: 'seed 003 §Implemented 5',
    claim: 'a client that is never made to wait is asked the questions of its task all the same, once',
  },
  {
    id: 'MODE-12',
    source: 'seed 003 §Implemented 3',
    claim:
      'explicit modes and wait true are bound by the host-safe budget, and over it the answer is -32002 in the words of the seed',
  },
  {
    id: 'MODE-13',
    source: 'seed 003 §Implemented 1',
    claim:
      'the mode is read from HOLDFAST_TASK_RESULT_MODE and MUNINN_MCP_TASK_RESULT_MODE, in any case and with spaces',
  },
  {
    id: 'MODE-14',
    source: 'seed 003 §Implemented 1',
    claim: 'the option goes before HOLDFAST_, and that before MUNINN_MCP_',
  },
  {
    id: 'MODE-15',
    source: 'seed 003 §Implemented 1',
    claim: 'a mode that is none is auto, with one warning on stderr',
  },
  {
    id: 'MODE-16',
    source: 'seed 003 §Implemented 2',
    claim: 'the list is read from both variables; one that names nobody leaves the default',
  },
  {
    id: 'MODE-17',
    source: 'seed 003 system §2.4',
    claim: 'the longest wait is read from HOLDFAST_ and MUNINN_MCP_TASK_RESULT_MAX_WAIT_SEC',
  },
  {
    id: 'MODE-18',
    source: 'seed 003 system §2.4',
    claim: 'a budget that the owner has set binds everybody, also a client that waits by its own nature',
    deviation:
      'the original bounds everybody by its default too; here clients that are not on the list then wait to the end, because -32002 ends the call of those that know only the specification',
  },
  {
    id: 'MODE-19',
    source: 'seed 003 system §2.4',
    claim: 'a longest wait that is no number falls back to the host, with a warning',
  },
  {
    id: 'MODE-20',
    source: 'seed 003 system §2.4',
    claim: 'the budget is 120 s less a margin of 10 s',
    test: {
      file: 'test/dialects/tasks-2025/result-mode.test.ts',
      title: 'is the time-out of the host less a margin: 120 s less 10 s',
    },
  },
  {
    id: 'MODE-21',
    source: 'seed 003 system §2.4',
    claim: 'both can be chosen by option',
    test: { file: 'test/dialects/tasks-2025/result-mode.test.ts', title: 'follows both options' },
  },
  {
    id: 'MODE-22',
    source: 'seed 003 system §2.4',
    claim: 'both can be chosen by variable',
    test: {
      file: 'test/dialects/tasks-2025/result-mode.test.ts',
      title: 'follows the variables for the host and the margin',
    },
  },
  {
    id: 'MODE-23',
    source: 'seed 003 system §2.4',
    claim: 'the budget is at least one second',
    test: { file: 'test/dialects/tasks-2025/result-mode.test.ts', title: 'is at least one second' },
  },
  {
    id: 'MODE-24',
    source: 'seed 003 system §2.4',
    claim: 'a longest wait of zero or less lifts the limit',
    test: { file: 'test/dialects/tasks-2025/result-mode.test.ts', title: 'has no limit when the longest wait is %s' },
  },
  {
    id: 'MODE-25',
    source: 'seed 003 system §2.4',
    claim: 'names are matched by words, so others that only look alike are not on the list',
    test: { file: 'test/dialects/tasks-2025/result-mode.test.ts', title: '%j is not found in %j' },
  },
  {
    id: 'MODE-26',
    source: 'seed 003 system §2.8',
    claim: 'the framing is lines of JSON; a broken header is passed over',
    deviation:
      'Content-Length framing is served only to a connection whose first bytes are such a header; a broken header is refused once, not passed over',
  },
  {
    id: 'MODE-27',
    source: 'seed 003 system §2.8',
    claim: 'a payload that is no message is refused and the next is served',
  },
  {
    id: 'MODE-28',
    source: 'seed 003 system §2.8',
    claim: 'supported protocol versions are kept to',
  },
  {
    id: 'MODE-29',
    source: 'seed 003 system §2.8',
    claim: 'an unsupported version is refused',
    deviation: 'the newest of this era is offered instead, as the specification says; the client decides',
  },
  {
    id: 'MODE-30',
    source: 'seed 003 system §2.8',
    claim: 'initialize needs parameters that are an object',
  },
  {
    id: 'MODE-31',
    source: 'seed 003 system §2.8',
    claim: 'an empty elicitation capability means forms, and pages need their own',
  },
  {
    id: 'MODE-32',
    source: 'seed 003 system §2.8',
    claim: 'unknown requests are -32601, unknown notifications are ignored',
  },
  {
    id: 'MODE-33',
    source: 'seed 003 system §2.8',
    claim: 'requests are served while tasks/result waits',
    deviation: 'waiting requests hold no thread, so there is no queue that could be full (-32001)',
  },
  {
    id: 'MODE-34',
    source: 'seed 003 system §2.8',
    claim: 'tools/list shows schemas, annotations and that tasks are optional',
  },
  {
    id: 'MODE-35',
    source: 'seed 003 system §2.8',
    claim: 'tools/call with wrong parameters, or with a task that is no object, is -32602',
  },
  {
    id: 'MODE-36',
    source: 'seed 003 system §2.8',
    claim: 'tools are turned into tasks by themselves when they take long',
    deviation: 'only for clients that asked for a task: most others show an empty success',
    test: {
      file: 'test/spec/tasks-2025-negotiation.test.ts',
      title: '[T25-06] is never answered with a task unless it asked for one, and shows none',
    },
  },
  {
    id: 'MODE-37',
    source: 'seed 003 system §2.8',
    claim: 'tasks/list: empty, paged, and -32602 for a cursor that is none',
    test: {
      file: 'test/spec/tasks-2025-access.test.ts',
      title: '[T25-47] gives a page at a time and a cursor while there are more, each task once',
    },
  },
  {
    id: 'MODE-38',
    source: 'seed 003 system §2.8',
    claim: 'tasks/get: an unknown id is -32602 and is not repeated',
    test: {
      file: 'test/spec/tasks-2025-access.test.ts',
      title: '[T25-50] that nobody knows is -32602, and is not repeated to whoever sent it',
    },
  },
  {
    id: 'MODE-39',
    source: 'seed 003 system §2.8',
    claim: 'tasks/cancel: updates the task, tells of it, and is -32602 for one that has ended',
    test: {
      file: 'test/spec/tasks-2025-lifecycle.test.ts',
      title: '[T25-23] is -32602 for a task at its end, and the second time',
    },
  },
  {
    id: 'MODE-40',
    source: 'seed 003 system §2.8',
    claim: 'a failure inside is -32603 with a text that tells nothing',
    test: { file: 'test/spec/tasks-2025-access.test.ts', title: '[T25-55] is -32603 and tells nothing of its inside' },
  },
  {
    id: 'MODE-41',
    source: 'seed 003 system §2.8',
    claim: 'nothing but ping is served before initialize',
    deviation: 'requests are served, because hosts start a server again and go on where they were, without a handshake',
  },
];
