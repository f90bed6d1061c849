/** The test campaigns against servers: soak, closure and chaos. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable, OptionValues } from '../../command-line/option.ts';
import { parseNumber, parseWhole } from '../../command-line/parse-value.ts';
import { COMMON, SHARED } from '../../command-line/shared-options.ts';

/** Options that `soak` and `closure` share: the server, the calls and the injected faults. */
export const SOAKED = {
  tool: SHARED.tool,
  arguments: SHARED.arguments,
  answer: { type: 'string', value: 'TEXT', help: 'Text that every result must contain; {call} as in --arguments' },
  expect: {
    type: 'string',
    value: 'WHAT',
    help: 'How calls must end: result (default) or error',
    choices: ['result', 'error'],
  },
  'error-code': {
    type: 'string',
    value: 'CODE',
    help: 'With --expect error: the required error code (default -32603)',
  },
  'probe-tool': { type: 'string', value: 'TOOL', help: 'Tool whose call becomes a task (default: that of --tool)' },
  'probe-arguments': { type: 'string', value: 'JSON', help: 'Arguments for --probe-tool' },
  'inject-malformed-frame': { type: 'boolean', help: 'Send a malformed message before the calls (default)' },
  'no-inject-malformed-frame': { type: 'boolean', help: 'Do not send a malformed message' },
  'kill-server': {
    type: 'boolean',
    help: 'Kill the server during a call (default for servers started by this command)',
  },
  'no-kill-server': { type: 'boolean', help: 'Do not kill the server' },
  'kill-worker': {
    type: 'boolean',
    help: 'Kill the worker of a Holdfast server during a call (default for the demo server)',
  },
  'no-kill-worker': { type: 'boolean', help: 'Do not kill the worker' },
  'max-drift': {
    type: 'string',
    value: 'RATIO',
    help: 'Maximum end-to-start ratio of latency, memory, descriptors and database size (default 1.1, from 600 s on)',
  },
  'keep-sec': {
    type: 'string',
    value: 'SECONDS',
    help: 'How long the store of the soak keeps finished tasks (default 10)',
  },
  url: SHARED.url,
  'pass-env': SHARED['pass-env'],
  wrapper: {
    type: 'string',
    value: 'FILE',
    help: 'Server program in JavaScript or Python; or pass a command after --',
  },
  'report-dir': SHARED['report-dir'],
  ...COMMON,
} as const satisfies OptionTable;

export type SoakedValues = OptionValues<typeof SOAKED>;

const soakOptions = {
  store: {
    type: 'string',
    value: 'ADDRESS',
    help: 'PostgreSQL store for the server, used only by this soak: postgres://…?schema=soak… (default: a file)',
  },
  iterations: { type: 'string', value: 'N', help: 'Minimum number of measured calls (default 25)' },
  'duration-sec': {
    type: 'string',
    value: 'SECONDS',
    help: 'Minimum duration (default: until the calls are made)',
  },
  'warmup-requests': { type: 'string', value: 'N', help: 'Unmeasured calls before the measured ones (default 1)' },
  'timeout-sec': { type: 'string', value: 'SECONDS', help: 'Timeout for each response (default 10)' },
  transport: {
    type: 'string',
    value: 'HOW',
    help: 'Transport: line, framed or http (default: line; with --url: http)',
    choices: ['line', 'framed', 'http'],
  },
  era: {
    type: 'string',
    value: 'ERA',
    help: 'Protocol version: 2025-11-25 (default) or 2026-07-28',
    choices: ['2025-11-25', '2026-07-28'],
  },
  'max-p95-ms': { type: 'string', value: 'MS', help: 'Maximum 95th percentile of latency (default 400)' },
  'server-url': {
    type: 'string',
    value: 'URL',
    help: 'Backend of the server, passed as MUNINN_SERVER_URL (default http://127.0.0.1:9, where nothing listens)',
  },
  'failure-threshold': {
    type: 'string',
    value: 'N',
    help: 'Passed as MUNINN_MCP_BACKEND_FAILURE_THRESHOLD (default 1)',
  },
  'cooldown-sec': { type: 'string', value: 'SECONDS', help: 'Passed as MUNINN_MCP_BACKEND_COOLDOWN_SEC (default 30)' },
  'task-result-mode': {
    type: 'string',
    value: 'MODE',
    help: 'How the server handles tasks/result for an unfinished task: auto, blocking or immediate_retry (default auto)',
    choices: ['auto', 'blocking', 'immediate_retry'],
  },
  'task-result-auto-retry-clients': {
    type: 'string',
    value: 'NAMES',
    help: 'Clients that should retry in mode auto, comma-separated',
  },
  'probe-nonterminal-task-result': {
    type: 'boolean',
    help: 'Request the result of an unfinished task and expect error -32002 (default for the demo server)',
  },
  'no-probe-nonterminal-task-result': { type: 'boolean', help: 'Do not request the result of an unfinished task' },
  'task-worker-start-delay-ms': {
    type: 'string',
    value: 'MS',
    help: 'Minimum run time of that task, 50 or more (default 350)',
  },
  ...SOAKED,
} as const satisfies OptionTable;

export type SoakContext = CommandContext<typeof soakOptions>;

export const soak: Command<typeof soakOptions> = {
  name: 'soak',
  summary: 'Call a server repeatedly while injecting faults, and write a report; optionally pass its command after --',
  positionals: [],
  options: soakOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./run-soak.ts')).runSoakCommand(context),
};

const closureOptions = {
  'streak-target': { type: 'string', value: 'N', help: 'Consecutive runs that must pass (default 30)' },
  'max-campaign-runs': {
    type: 'string',
    value: 'N',
    help: 'Maximum number of runs, not below the target (default 60)',
  },
  transports: {
    type: 'string',
    value: 'LIST',
    help: 'Transports, comma-separated: line, framed, http (default: those the server supports)',
  },
  eras: {
    type: 'string',
    value: 'LIST',
    help: 'Protocol versions, comma-separated (default: both for the demo server, else 2025-11-25)',
  },
  'min-p95-compliance-ratio': {
    type: 'string',
    value: 'RATIO',
    help: 'Fraction of runs whose p95 must be within its limit, 0 to 1 (default 0.95)',
  },
  'soak-iterations': { type: 'string', value: 'N', help: 'Like soak --iterations (default 25)' },
  'soak-warmup-requests': { type: 'string', value: 'N', help: 'Like soak --warmup-requests (default 2)' },
  'soak-timeout-sec': { type: 'string', value: 'SECONDS', help: 'Like soak --timeout-sec (default 15)' },
  'soak-max-p95-ms': { type: 'string', value: 'MS', help: 'Like soak --max-p95-ms (default 5000)' },
  'soak-server-url': { type: 'string', value: 'URL', help: 'Like soak --server-url (default http://127.0.0.1:1)' },
  'soak-failure-threshold': { type: 'string', value: 'N', help: 'Like soak --failure-threshold (default 1)' },
  'soak-cooldown-sec': { type: 'string', value: 'SECONDS', help: 'Like soak --cooldown-sec (default 30)' },
  'soak-task-result-mode': {
    type: 'string',
    value: 'MODE',
    help: 'Like soak --task-result-mode (default auto)',
    choices: ['auto', 'blocking', 'immediate_retry'],
  },
  'soak-task-result-auto-retry-clients': {
    type: 'string',
    value: 'NAMES',
    help: 'Like soak --task-result-auto-retry-clients',
  },
  'soak-probe-nonterminal-task-result': {
    type: 'boolean',
    help: 'Like soak --probe-nonterminal-task-result (default)',
  },
  'no-soak-probe-nonterminal-task-result': { type: 'boolean', help: 'Do not request the result of an unfinished task' },
  'soak-task-worker-start-delay-ms': {
    type: 'string',
    value: 'MS',
    help: 'Like soak --task-worker-start-delay-ms (default 350)',
  },
  'open-wrapper-defects': {
    type: 'string',
    value: 'N',
    help: 'Open defects of the server; closure requires 0 (default 0)',
  },
  'unresolved-transport-regressions': {
    type: 'string',
    value: 'N',
    help: 'Unresolved transport regressions; closure requires 0 (default 0)',
  },
  'unclassified-failures': {
    type: 'string',
    value: 'N',
    help: 'Unclassified failures; closure requires 0 (default 0)',
  },
  ...SOAKED,
} as const satisfies OptionTable;

export type ClosureContext = CommandContext<typeof closureOptions>;

export const closure: Command<typeof closureOptions> = {
  name: 'closure',
  summary: 'Soak a server over all its transports until enough consecutive runs have passed',
  positionals: [],
  options: closureOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./run-soak.ts')).runClosureCommand(context),
};

const MAX_SEED = 2 ** 31 - 1;

const chaosOptions = {
  seed: {
    type: 'string',
    value: 'N',
    help: 'Seed of the fault plan; the same number gives the same plan (default: random)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: MAX_SEED }),
  },
  seconds: {
    type: 'string',
    value: 'N',
    help: 'Duration in seconds (default 60); or use --minutes or --hours',
    parse: parseTime,
  },
  minutes: { type: 'string', value: 'N', help: 'Duration in minutes', parse: parseTime },
  hours: { type: 'string', value: 'N', help: 'Duration in hours', parse: parseTime },
  plan: { type: 'string', value: 'FILE', help: 'Run this plan, such as one that failed, instead of generated ones' },
  faults: {
    type: 'string',
    value: 'KINDS',
    help: 'Inject only these kinds of faults, comma-separated: kill,stop,drop',
  },
  rate: {
    type: 'string',
    value: 'N',
    help: 'Average number of faults per second (default 1.2)',
    parse: (text: string, option: string) => parseNumber(text, option, { from: 0.01, to: 100 }),
  },
  'no-shrink': { type: 'boolean', help: 'Do not rerun a failed plan to find the shortest one that fails' },
  store: {
    type: 'string',
    value: 'ADDRESS',
    help: 'Keep the store of the workload in this postgres:// database, in a schema that is dropped afterwards (default: a file)',
  },
  tool: SHARED.tool,
  arguments: SHARED.arguments,
  'report-dir': SHARED['report-dir'],
  ...COMMON,
} as const satisfies OptionTable;

export type ChaosContext = CommandContext<typeof chaosOptions>;

export const chaos: Command<typeof chaosOptions> = {
  name: 'chaos',
  summary:
    'Inject faults from a seeded plan and check the outcome of every call; optionally pass a server command after --',
  positionals: [],
  options: chaosOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./run-chaos.ts')).runChaosCommand(context),
};

function parseTime(text: string, option: string): number {
  return parseNumber(text, option, { from: 0.01, to: 10_000 });
}

export const campaignCommands: readonly Command[] = [soak, closure, chaos];
