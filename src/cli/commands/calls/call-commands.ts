/** Commands that call tools of servers, and that list, show, wait for and cancel earlier calls. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { parseWhole } from '../../command-line/parse-value.ts';
import { CALLS, SHARED } from '../../command-line/shared-options.ts';

const callOptions = {
  server: {
    type: 'string',
    value: 'NAME',
    help: 'Server name in holdfast.json or .mcp.json, here or in a parent directory; or pass its command after --',
  },
  url: SHARED.url,
  plugin: SHARED.plugin,
  app: SHARED.app,
  'pass-env': SHARED['pass-env'],
  trust: SHARED.trust,
  session: SHARED.session,
  'max-wait': {
    type: 'string',
    value: 'SECONDS',
    help: 'Maximum wait (default: no limit)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 1, to: 10_000_000 }),
  },
  detach: { type: 'boolean', help: 'Print the call id and exit; the work continues' },
  redact: {
    type: 'string',
    value: 'FIELDS',
    help: 'Arguments that are never stored in clear text or shown, comma-separated: apiKey,/auth/*',
    parse: (text: string) => text.split(',').map((rule) => rule.trim()),
  },
  ...CALLS,
} as const satisfies OptionTable;

export type CallContext = CommandContext<typeof callOptions>;

export const call: Command<typeof callOptions> = {
  name: 'call',
  summary: 'Call a tool and wait for its outcome, however long it takes; - reads the arguments from stdin',
  positionals: ['TOOL', '[JSON]'],
  options: callOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./call-tool.ts')).callTool(context),
};

const callsListOptions = {
  session: SHARED.session,
  all: SHARED.all,
  ...CALLS,
} as const satisfies OptionTable;

export type CallsListContext = CommandContext<typeof callsListOptions>;

export const callsList: Command<typeof callsListOptions> = {
  name: 'calls list',
  summary: 'List calls whose outcome has not been acknowledged',
  positionals: [],
  options: callsListOptions,
  run: async (context) => (await import('./list-calls.ts')).listCalls(context),
};

export const callsShow: Command<typeof CALLS> = {
  name: 'calls show',
  summary: 'Show one call in full',
  positionals: ['CALL'],
  options: CALLS,
  run: async (context) => (await import('./show-call.ts')).showCall(context),
};

const callsWaitOptions = {
  trust: SHARED.trust,
  ...CALLS,
} as const satisfies OptionTable;

export type CallsWaitContext = CommandContext<typeof callsWaitOptions>;

export const callsWait: Command<typeof callsWaitOptions> = {
  name: 'calls wait',
  summary: 'Resume waiting for a call',
  positionals: ['CALL'],
  options: callsWaitOptions,
  run: async (context) => (await import('./resume-calls.ts')).waitForCall(context),
};

const callsResumeOptions = {
  trust: SHARED.trust,
  ...CALLS,
} as const satisfies OptionTable;

export type CallsResumeContext = CommandContext<typeof callsResumeOptions>;

export const callsResume: Command<typeof callsResumeOptions> = {
  name: 'calls resume',
  summary: 'Resume waiting for all pending calls',
  positionals: [],
  options: callsResumeOptions,
  run: async (context) => (await import('./resume-calls.ts')).resumeCalls(context),
};

const callsCancelOptions = {
  reason: SHARED.reason,
  trust: SHARED.trust,
  ...CALLS,
} as const satisfies OptionTable;

export type CallsCancelContext = CommandContext<typeof callsCancelOptions>;

export const callsCancel: Command<typeof callsCancelOptions> = {
  name: 'calls cancel',
  summary: 'Cancel a call and its work',
  positionals: ['CALL'],
  options: callsCancelOptions,
  run: async (context) => (await import('./resume-calls.ts')).cancelCall(context),
};

export const callCommands: readonly Command[] = [call, callsList, callsShow, callsWait, callsResume, callsCancel];
