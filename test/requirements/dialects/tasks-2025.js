// @ts-check

/**
 * Tasks of MCP 2025-11-25 and what the core of that version says of them, as far as it binds a server.
 *
 * Not here, because they bind the requestor: to augment only what is declared, to respect the poll interval and go on
 * polling, to call tasks/result when input is required, not to rely on notifications, to treat cursors as opaque, to cancel
 * tasks by tasks/cancel only, and to log on its own side.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const tasks2025Requirements = [
  {
    id: 'T25-01',
    source: 'MCP 2025-11-25 tasks §Capabilities',
    claim: 'initialize declares that tasks can be listed and cancelled and that tools can be called as tasks',
  },
  {
    id: 'T25-02',
    source: 'MCP 2025-11-25 tasks §Tool-Level Negotiation',
    claim: 'tools/list says of each tool whether a task is optional, required or forbidden',
  },
  {
    id: 'T25-03',
    source: 'MCP 2025-11-25 tasks §Tool-Level Negotiation',
    claim: 'a task of a tool that forbids it is -32601',
  },
  {
    id: 'T25-04',
    source: 'MCP 2025-11-25 tasks §Tool-Level Negotiation',
    claim: 'a plain call of a tool that requires a task is -32601',
  },
  {
    id: 'T25-05',
    source: 'MCP 2025-11-25 tasks §Tool-Level Negotiation',
    claim: 'where a task is optional a call is served either way',
  },
  {
    id: 'T25-06',
    source: 'MCP 2025-11-25 tasks §Creating Tasks',
    claim: 'a client that did not send params.task never gets a task',
  },
  {
    id: 'T25-07',
    source: 'MCP 2025-11-25 tasks §Task Parameters',
    claim: 'params.task that is no object is -32602',
  },
  {
    id: 'T25-08',
    source: 'MCP 2025-11-25 tasks §Task Support and Handling',
    claim: 'requests that cannot be tasks are served as usual, whatever they say of tasks',
  },
  {
    id: 'T25-09',
    source: 'MCP 2025-11-25 tasks §Result Retrieval',
    claim: 'a call as a task is answered with the task, at once and without its result',
  },
  {
    id: 'T25-10',
    source: 'MCP 2025-11-25 tasks §Task Status Lifecycle',
    claim: 'a task begins as working',
  },
  {
    id: 'T25-11',
    source: 'MCP 2025-11-25 tasks §Task ID Requirements',
    claim: 'ids are unique texts that the server makes',
  },
  {
    id: 'T25-12',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'a task that needs something of the client is input_required',
  },
  {
    id: 'T25-13',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'with the last answer it leaves input_required',
  },
  {
    id: 'T25-14',
    source: 'MCP 2025-11-25 tasks §Task Status Lifecycle',
    claim: 'a status at the end never changes',
  },
  {
    id: 'T25-15',
    source: 'MCP 2025-11-25 tasks §Task Execution Errors',
    claim: 'a failed call, also one by isError, is failed and statusMessage says why',
  },
  {
    id: 'T25-16',
    source: 'MCP 2025-11-25 tasks §TTL and Resource Management',
    claim: 'createdAt and lastUpdatedAt are in everything that shows a task, in ISO 8601',
  },
  {
    id: 'T25-17',
    source: 'MCP 2025-11-25 tasks §TTL and Resource Management',
    claim: 'the actual ttl is in everything that shows a task, null for ever; so is a poll interval',
  },
  {
    id: 'T25-18',
    source: 'MCP 2025-11-25 tasks §TTL and Resource Management',
    claim: 'a task may be deleted when its ttl has elapsed since creation',
    deviation:
      'the time that the work took is added, because a result must be kept for as long as was asked; tasks/get says so once it is known',
  },
  {
    id: 'T25-19',
    source: 'MCP 2025-11-25 tasks §Resource Management',
    claim: 'a ttl beyond the longest is not granted',
    deviation: 'it is refused with what is expected instead of being cut, like any ttl that is none',
  },
  {
    id: 'T25-20',
    source: 'MCP 2025-11-25 tasks §Resource Management',
    claim: 'an expired task is cleaned up, is not listed, and its id says that it has expired',
  },
  {
    id: 'T25-21',
    source: 'MCP 2025-11-25 tasks §Task Cancellation',
    claim: 'a cancel stops the work, and the task is cancelled before the answer',
  },
  {
    id: 'T25-22',
    source: 'MCP 2025-11-25 tasks §Task Cancellation',
    claim: 'a cancelled task stays so, whatever the work comes to',
  },
  {
    id: 'T25-23',
    source: 'MCP 2025-11-25 tasks §Task Cancellation',
    claim: 'a cancel of a task that has ended is -32602, and so is the second one',
  },
  {
    id: 'T25-24',
    source: 'MCP 2025-11-25 cancellation §Behavior For Tasks',
    claim: 'only tasks/cancel cancels a task: cancelled requests leave theirs alone',
  },
  {
    id: 'T25-25',
    source: 'MCP 2025-11-25 tasks §Result Retrieval',
    claim: 'tasks/result gives exactly the result that the call would have got, with isError or without',
  },
  {
    id: 'T25-26',
    source: 'MCP 2025-11-25 tasks §Related Task Metadata',
    claim: 'the result of tasks/result names its task in _meta',
  },
  {
    id: 'T25-27',
    source: 'MCP 2025-11-25 tasks §Result Retrieval',
    claim: 'tasks/result gives the very JSON-RPC error that the call would have got',
  },
  {
    id: 'T25-28',
    source: 'MCP 2025-11-25 tasks §Result Retrieval',
    claim: 'tasks/result of a cancelled task is an error',
  },
  {
    id: 'T25-29',
    source: 'MCP 2025-11-25 tasks §Result Retrieval',
    claim: 'tasks/result of a task that goes on waits for its end',
    deviation:
      'clients known to give up, explicit modes and params.wait are answered -32002 instead: the tasks/result modes below',
  },
  {
    id: 'T25-30',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'tasks/get is not answered by an event stream',
  },
  {
    id: 'T25-31',
    source: 'MCP 2025-11-25 tasks §Associating Task-Related Messages',
    claim: 'elicitation, sampling and progress of a task name it in _meta',
  },
  {
    id: 'T25-32',
    source: 'MCP 2025-11-25 tasks §Associating Task-Related Messages',
    claim: 'tasks/get, tasks/list, tasks/cancel and status notifications do not name it twice',
  },
  {
    id: 'T25-33',
    source: 'MCP 2025-11-25 tasks §Associating Task-Related Messages',
    claim: 'the taskId of the parameters counts, whatever related-task metadata says',
  },
  {
    id: 'T25-34',
    source: 'MCP 2025-11-25 tasks §Task Status Notification',
    claim: 'status notifications carry the whole task',
  },
  {
    id: 'T25-35',
    source: 'MCP 2025-11-25 tasks §Task Progress Notifications',
    claim: 'the progress token of the call is good for the life of the task, and progress rises',
  },
  {
    id: 'T25-36',
    source: 'MCP 2025-11-25 progress §Behavior Requirements',
    claim: 'progress ends with the task and goes only to those who gave a token',
  },
  {
    id: 'T25-37',
    source: 'MCP 2025-11-25 elicitation and sampling §Capabilities',
    claim: 'a client is not asked what it did not declare, and may answer with an error',
  },
  {
    id: 'T25-38',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'a question reaches the client on its standing stream and on tasks/result',
  },
  {
    id: 'T25-39',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'sampling goes the same two ways',
  },
  {
    id: 'T25-40',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'a client with several streams open is asked once',
  },
  {
    id: 'T25-41',
    source: 'MCP 2025-11-25 tasks §Input Required Status',
    claim: 'a question whose stream is lost is asked on another',
  },
  {
    id: 'T25-42',
    source: 'both eras',
    claim: 'a standing stream at another server takes up the tasks of its session',
  },
  {
    id: 'T25-43',
    source: 'both eras',
    claim: 'it says nothing of other sessions',
  },
  {
    id: 'T25-44',
    source: 'MCP 2025-11-25 elicitation §Error Handling',
    claim: 'an answer that does not fit is refused with its reason, and the question is asked again',
  },
  {
    id: 'T25-45',
    source: 'bad input',
    claim: 'a client that never answers well is asked three times; then the task goes on without an answer',
  },
  {
    id: 'T25-46',
    source: 'bad input',
    claim: 'the same holds for the question of a held call',
  },
  {
    id: 'T25-47',
    source: 'MCP 2025-11-25 tasks §Task Listing',
    claim: 'tasks/list pages by cursors, with nextCursor while there are more',
  },
  {
    id: 'T25-48',
    source: 'MCP 2025-11-25 tasks §Task Listing',
    claim: 'what tasks/get finds tasks/list shows',
  },
  {
    id: 'T25-49',
    source: 'MCP 2025-11-25 tasks §Protocol Errors',
    claim: 'a cursor that was not given out is -32602',
  },
  {
    id: 'T25-50',
    source: 'MCP 2025-11-25 tasks §Protocol Errors',
    claim: 'an unknown or malformed id is -32602 in every method, with a message that says why',
  },
  {
    id: 'T25-51',
    source: 'MCP 2025-11-25 tasks §Task Isolation and Access Control',
    claim: "another principal's task is unknown to tasks/get, tasks/result and tasks/cancel",
  },
  {
    id: 'T25-52',
    source: 'MCP 2025-11-25 tasks §Task Isolation and Access Control',
    claim: "tasks/list shows the principal's own tasks only",
  },
  {
    id: 'T25-53',
    source: 'MCP 2025-11-25 tasks §Resource Management',
    claim: 'concurrent tasks are limited',
    deviation:
      'the limit is that of the program and not of each requestor: queueLimit waiting tasks, more are refused as QUEUE_FULL',
  },
  {
    id: 'T25-54',
    source: 'MCP 2025-11-25 tasks §Resource Management',
    claim: 'the longest ttl, the limit on tasks and who shares a principal are documented',
  },
  {
    id: 'T25-55',
    source: 'MCP 2025-11-25 tasks §Protocol Errors',
    claim: 'a fault of the server is -32603',
  },
  {
    id: 'T25-56',
    source: 'MCP 2025-11-25 tasks §Task Isolation and Access Control',
    claim: 'ids cannot be guessed',
    test: {
      file: 'test/task/id.test.ts',
      title: '[TASK-08] has 26 characters of five bits each, which is more than 128',
    },
  },
  {
    id: 'T25-57',
    source: 'MCP 2025-11-25 tasks §Audit and Logging',
    claim: 'creation, completion and retrieval are logged',
    deviation:
      'a task keeps its own events with their times, and its principal; who reads it is not noted, and limits on the rate of requests are left to what stands before the server',
    test: {
      file: 'test/engine/watch.test.ts',
      title: '[ENGINE-05] [ENGINE-30] yields past and coming events once, numbered from 1, and ends with the task',
    },
  },
  {
    id: 'T25-58',
    source: 'issue 13 (test:real with ext-tasks); seed 000',
    claim:
      'a question of a task that is cancelled faster than anybody reads is asked once more, and then counts as cancelled',
  },
];
