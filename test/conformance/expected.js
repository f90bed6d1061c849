// @ts-check
/**
 * What the official conformance suite finds in the demo server: how many checks of each scenario pass, and the few that
 * do not apply. Nothing fails.
 */

/** Passing checks by scenario. @typedef {Readonly<Record<string, number>>} Expected */

/**
 * A check that cannot pass or is not meant to, and why.
 *
 * @typedef {object} NotApplicable
 * @property {string} scenario
 * @property {string} id
 * @property {'SKIPPED' | 'WARNING'} status
 * @property {string} why
 */

/** The tasks extension: 44 checks in all. @type {Expected} */
export const expectedTasks = {
  'tasks-lifecycle': 9,
  'tasks-capability-negotiation': 5,
  'tasks-wire-fields': 4,
  'tasks-request-state-removal': 3,
  'tasks-mrtr-input': 4,
  'tasks-request-headers': 5,
  'tasks-dispatch-and-envelope': 9,
  'tasks-status-notifications': 0,
  'tasks-required-task-error': 3,
  'tasks-mrtr-composition': 2,
};

/** What each revision of the protocol requires of a server. @type {Readonly<Record<string, Expected>>} */
export const expectedRequirements = {
  '2026-07-28': {
    ...expectedTasks,
    'server-stateless': 28,
    'completion-complete': 2,
    'tools-list': 4,
    'tools-call-simple-text': 2,
    'tools-call-image': 2,
    'tools-call-audio': 2,
    'tools-call-embedded-resource': 2,
    'tools-call-mixed-content': 2,
    'tools-call-error': 2,
    'tools-call-with-progress': 2,
    'server-sse-multiple-streams': 1,
    'resources-list': 2,
    'resources-read-text': 2,
    'resources-read-binary': 2,
    'resources-templates-read': 2,
    'sep-2164-resource-not-found': 4,
    'prompts-list': 2,
    'prompts-get-simple': 2,
    'prompts-get-with-args': 2,
    'prompts-get-embedded-resource': 2,
    'prompts-get-with-image': 2,
    'dns-rebinding-protection': 2,
    caching: 8,
    'input-required-result-basic-elicitation': 3,
    'input-required-result-basic-sampling': 3,
    'input-required-result-basic-list-roots': 3,
    'input-required-result-request-state': 3,
    'input-required-result-multiple-input-requests': 3,
    'input-required-result-multi-round': 4,
    'input-required-result-missing-input-response': 2,
    'input-required-result-non-tool-request': 3,
    'input-required-result-result-type': 2,
    'input-required-result-unsupported-methods': 2,
    'input-required-result-tampered-state': 2,
    'input-required-result-capability-check': 2,
    'input-required-result-ignore-extra-params': 2,
    'input-required-result-validate-input': 3,
    'json-schema-2020-12': 8,
    'http-header-validation': 14,
    'http-custom-header-server-validation': 10,
  },
  '2025-11-25': {
    'server-initialize': 3,
    'logging-set-level': 2,
    ping: 2,
    'completion-complete': 2,
    'tools-list': 3,
    'tools-call-simple-text': 2,
    'tools-call-image': 2,
    'tools-call-audio': 2,
    'tools-call-embedded-resource': 2,
    'tools-call-mixed-content': 2,
    'tools-call-with-logging': 2,
    'tools-call-error': 2,
    'tools-call-with-progress': 2,
    'tools-call-sampling': 2,
    'tools-call-elicitation': 2,
    'elicitation-sep1034-defaults': 6,
    'server-sse-multiple-streams': 2,
    'elicitation-sep1330-enums': 6,
    'resources-list': 2,
    'resources-read-text': 2,
    'resources-read-binary': 2,
    'resources-templates-read': 2,
    'resources-subscribe': 2,
    'resources-unsubscribe': 2,
    'prompts-list': 2,
    'prompts-get-simple': 2,
    'prompts-get-with-args': 2,
    'prompts-get-embedded-resource': 2,
    'prompts-get-with-image': 2,
    'dns-rebinding-protection': 2,
    'server-session-lifecycle': 3,
    'json-schema-2020-12': 8,
    'server-sse-polling': 0,
  },
};

/** @type {readonly NotApplicable[]} */
export const notApplicable = [
  {
    scenario: 'tasks-status-notifications',
    id: 'tasks-status-notifications',
    status: 'SKIPPED',
    why: 'The suite has no check yet for notifications on subscriptions/listen; it skips this for every server.',
  },
  {
    scenario: 'server-stateless',
    id: 'sep-2575-server-sends-prompts-list-changed-on-subscription',
    status: 'SKIPPED',
    why: 'The prompts of the demo never change, so the capability is not declared.',
  },
  {
    scenario: 'server-stateless',
    id: 'sep-2575-server-sends-tools-list-changed-on-subscription',
    status: 'SKIPPED',
    why: 'Tools are registered before serving and never change, so the capability is not declared.',
  },
  {
    scenario: 'server-sse-polling',
    id: 'server-sse-priming-event',
    status: 'WARNING',
    why: 'Streams are not resumable, which is optional: what must survive a lost stream is a task.',
  },
  {
    scenario: 'server-sse-polling',
    id: 'server-sse-retry-field',
    status: 'WARNING',
    why: 'Without resumable streams there is no reconnection whose timing a server could set.',
  },
];
