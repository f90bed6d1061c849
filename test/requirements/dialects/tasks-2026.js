// @ts-check

/**
 * The Tasks extension of 2026-07-28, as far as it binds a server; the sections are those of the extension unless another
 * text is named.
 *
 * Not here, because they bind the client: to take both kinds of result, to refuse a task for another method, to respect
 * the poll interval and poll to the end, to keep ids, to answer and de-duplicate input requests, to treat them as direct
 * ones, to repeat `requestState` unread, to send `Mcp-Name`, and not to cancel a task by notification. Nor what cannot be
 * seen on the wire: that an implementation be ready for further request types.
 *
 * @type {readonly import('../requirements.js').Requirement[]}
 */
export const tasks2026Requirements = [
  {
    id: 'T26-01',
    source: 'SEP-2663 §Capability Negotiation',
    claim: 'discovery declares the extension, without settings',
  },
  {
    id: 'T26-02',
    source: 'SEP-2663 §Backward Compatibility',
    claim: 'what 2025-11-25 advertised for tasks is not advertised on this version',
  },
  {
    id: 'T26-03',
    source: 'SEP-2663 §Capability Negotiation',
    claim: 'a request that does not declare the extension never gets a task, whatever earlier ones declared',
  },
  {
    id: 'T26-04',
    source: 'SEP-2663 §Backward Compatibility',
    claim: 'the tasks capability of 2025-11-25 does not count as declaring the extension',
  },
  {
    id: 'T26-05',
    source: 'SEP-2663 §Backward Compatibility',
    claim: 'the extension has no effect under an earlier protocol version',
  },
  {
    id: 'T26-06',
    source: 'SEP-2663 §Capability Negotiation',
    claim: 'a call that can only be a task is -32021 for a client that did not declare the extension, which it names',
  },
  { id: 'T26-07', source: 'SEP-2663 §Polymorphic Results', claim: 'the answer with a new task has resultType task' },
  { id: 'T26-08', source: 'SEP-2663 §Polymorphic Results', claim: 'no other result has resultType task' },
  { id: 'T26-09', source: 'SEP-2663 §Supported Methods', claim: 'no method but tools/call is answered with a task' },
  { id: 'T26-10', source: 'SEP-2663 §Task Creation', claim: 'a task is durable before its id is told' },
  {
    id: 'T26-11',
    source: 'SEP-2663 §Task Creation',
    claim: 'a task can be read by its id at once, wherever it is read',
  },
  {
    id: 'T26-12',
    source: 'SEP-2663 §Task Creation',
    claim: 'what has to be asked before a task is made is asked and answered on the call, before there is a task',
  },
  { id: 'T26-13', source: 'SEP-2663 §Backward Compatibility', claim: 'params.task is ignored' },
  { id: 'T26-14', source: 'SEP-2663 §Security Considerations', claim: 'task ids cannot be guessed or counted through' },
  { id: 'T26-15', source: 'SEP-2663 §Tasks', claim: 'ttlMs is whole milliseconds from the creation, or null' },
  {
    id: 'T26-16',
    source: 'MRTR §Server Requirements',
    claim: 'a call never asks for input of a kind that its client did not declare',
  },
  {
    id: 'T26-17',
    source: 'MRTR §Server Requirements',
    claim: 'requestState is protected, bound to its call and to its caller, and refused otherwise',
  },
  { id: 'T26-18', source: 'MRTR §Server Requirements', claim: 'requestState is refused after a while' },

  { id: 'T26-19', source: 'SEP-2663 §Task Polling', claim: 'tasks/get shows a task at work as working' },
  {
    id: 'T26-20',
    source: 'SEP-2663 §Task Polling',
    claim: 'tasks/get shows a task that waits with all that is outstanding, as requests of the protocol',
  },
  {
    id: 'T26-21',
    source: 'SEP-2663 §Task Polling',
    claim: 'tasks/get shows a completed task with the result of its call',
  },
  { id: 'T26-22', source: 'SEP-2663 §Task Polling', claim: 'tasks/get shows a cancelled task as cancelled' },
  {
    id: 'T26-23',
    source: 'SEP-2663 §Task Execution Errors',
    claim: 'tasks/get shows a failed task with the JSON-RPC error of its call',
  },
  {
    id: 'T26-24',
    source: 'SEP-2663 §Task Execution Errors',
    claim: 'a failed task has a statusMessage that tells why',
  },
  {
    id: 'T26-25',
    source: 'SEP-2663 §Task Execution Errors',
    claim: 'a result that is an error belongs to a completed task, never to a failed one',
  },
  { id: 'T26-26', source: 'SEP-2663 §Task Polling', claim: 'the answer to tasks/get has resultType complete' },
  {
    id: 'T26-27',
    source: 'SEP-2663 §Backward Compatibility',
    claim: 'nothing carries the related-task mark of 2025-11-25',
  },
  {
    id: 'T26-28',
    source: 'SEP-2663 §Protocol Errors',
    claim: 'tasks/get for an id that is none is -32602, and the message says what is wrong',
  },
  { id: 'T26-29', source: 'SEP-2663 §Protocol Errors', claim: 'tasks/get for a task that has expired is -32602' },

  {
    id: 'T26-30',
    source: 'SEP-2663 §Task Update Requests',
    claim: 'tasks/update is acknowledged with an empty result of resultType complete',
  },
  { id: 'T26-31', source: 'SEP-2663 §Protocol Errors', claim: 'tasks/update for an id that is none is -32602' },
  { id: 'T26-32', source: 'SEP-2663 §Task Update Requests', claim: 'keys of input requests are unique in a task' },
  {
    id: 'T26-33',
    source: 'SEP-2663 §Task Update Requests',
    claim: 'a key is not used again once it was answered, nor for two requests',
  },
  { id: 'T26-34', source: 'SEP-2663 §Task Update Requests', claim: 'responses to unknown keys are ignored' },
  { id: 'T26-35', source: 'SEP-2663 §Task Update Requests', claim: 'responses to answered keys are ignored' },
  {
    id: 'T26-36',
    source: 'SEP-2663 §Task Update Requests',
    claim: 'with some of the responses the task keeps waiting for the others',
  },
  {
    id: 'T26-37',
    source: 'MRTR §Error Handling',
    claim: 'a response that does not fit its request is an error, and the request stays open',
  },
  { id: 'T26-38', source: 'MRTR §Error Handling', claim: 'inputResponses that are missing or no object are an error' },
  {
    id: 'T26-39',
    source: 'SEP-2663 §Task Polling',
    claim: 'what is outstanding is shown on every poll until it is answered',
  },
  {
    id: 'T26-40',
    source: 'MRTR §Server Requirements',
    claim: 'tasks/get never shows an input request of a kind that the asking client did not declare',
  },

  {
    id: 'T26-41',
    source: 'SEP-2663 §Task Cancellation',
    claim: 'tasks/cancel is acknowledged with an empty result of resultType complete, and the task ends as cancelled',
  },
  { id: 'T26-42', source: 'SEP-2663 §Protocol Errors', claim: 'tasks/cancel for an id that is none is -32602' },
  {
    id: 'T26-43',
    source: 'SEP-2663 §Task Cancellation',
    claim: 'tasks/cancel for a task that has ended is acknowledged, and terminal states are final',
  },
  { id: 'T26-44', source: 'SEP-2663 §Task Status', claim: 'a task that waits for input can be cancelled' },
  { id: 'T26-45', source: 'SEP-2663 §Task Cancellation', claim: 'notifications/cancelled does not cancel a task' },
  {
    id: 'T26-46',
    source: 'Streamable HTTP §Cancellation',
    claim: 'closing a response stream cancels that request, not the task it speaks of',
  },
  {
    id: 'T26-47',
    source: 'Cancellation',
    claim: 'a call that is cancelled by notification before it is answered stops its work and is not answered',
  },

  {
    id: 'T26-48',
    source: 'SEP-2663 §Task Status Notifications',
    claim: 'listening to tasks without the extension is -32021, which names it',
  },
  {
    id: 'T26-49',
    source: 'SEP-2663 §Task Status Notifications',
    claim: 'a subscription is acknowledged first, with the task ids that were accepted',
  },
  {
    id: 'T26-50',
    source: 'SEP-2663 §Task Status Notifications',
    claim: 'each notification is the whole task as tasks/get would show it at that moment',
  },
  {
    id: 'T26-51',
    source: 'SEP-2663 §Task Status Notifications',
    claim: 'progress and log messages are not sent for tasks, on a subscription or elsewhere',
  },
  { id: 'T26-52', source: 'Subscriptions', claim: 'every message of a subscription carries its id' },
  { id: 'T26-53', source: 'Subscriptions', claim: 'a subscription tells nothing that was not asked for' },
  {
    id: 'T26-54',
    source: 'MRTR §Server Requirements',
    claim: 'notifications never show an input request of a kind that the subscriber did not declare',
  },

  {
    id: 'T26-55',
    source: 'SEP-2663 §Protocol Errors',
    claim: 'tasks/get, tasks/update and tasks/cancel without the extension are -32021',
  },
  {
    id: 'T26-56',
    source: 'SEP-2663 §Backward Compatibility',
    claim: 'tasks/result and tasks/list are -32601, and 404 on HTTP',
  },
  {
    id: 'T26-57',
    source: 'SEP-2663 §Security Considerations',
    claim: 'every task request checks its caller: the task of another is as unknown as one that never was',
  },
  { id: 'T26-58', source: 'SEP-2663 §Protocol Errors', claim: 'an internal error is -32603' },
  {
    id: 'T26-59',
    source: 'SEP-2663 §Routing Headers',
    claim: 'a task request whose Mcp-Name is not its taskId is refused with 400 and -32020',
  },
  {
    id: 'T26-60',
    source: 'Streamable HTTP §Server Validation',
    claim: 'a task request whose Mcp-Method is not its method is refused with 400 and -32020',
  },

  {
    id: 'T26-61',
    source: 'SEP-2663 §Task Polling',
    claim: 'inputRequests hold all outstanding requests',
    deviation: 'those that the asking client did not declare are left out, because MRTR forbids to send them',
  },
  {
    id: 'T26-62',
    source: 'Streamable HTTP §Cancellation',
    claim: 'work on a request stops when its response stream is closed',
    deviation: 'a call that may become a task goes on, because a lost connection must not lose the work',
  },
];
