/** The test campaigns against servers: soak, closure and chaos. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable, OptionValues } from '../../command-line/option.ts';
import { parseNumber, parseWhole } from '../../command-line/parse-value.ts';
import { COMMON, SHARED } from '../../command-line/shared-options.ts';

/** Options that `soak` and `closure` share: the server, the calls and the injected faults. */
export const SOAKED = {
  tool: SHARED.tool,
  arguments: SHARED.arguments,
  answer: { type: 'string', value: 'TEXT', help: 'What every result must contain; {call} as in --arguments' },
  expect: {
    type: 'string',
    value: 'WHAT',
    help: 'Whether calls must end as result (default) or as error',
    choices: ['result', 'error'],
  },
  'error-code': {
    type: 'string',
    value: 'CODE',
    help: 'With --expect error: the code they must have (default -32603)',
  },
  'probe-tool': { type: 'string', value: 'TOOL', help: 'The tool whose call becomes a task (default: that of --tool)' },
  'probe-arguments': { type: 'string', value: 'JSON', help: 'Its arguments' },
  'inject-malformed-frame': { type: 'boolean', help: 'Send what is no message before the calls (the default)' },
  'no-inject-malformed-frame': { type: 'boolean', help: 'Send nothing malformed' },
  'kill-server': {
    type: 'boolean',
    help: 'Kill the server in the middle of a call (default for a server started here)',
  },
  'no-kill-server': { type: 'boolean', help: 'Leave the server alone' },
  'kill-worker': {
    type: 'boolean',
    help: 'Kill the worker of a Holdfast server in the middle of a call (default for a demo)',
  },
  'no-kill-worker': { type: 'boolean', help: 'Leave the worker alone' },
  'max-drift': {
    type: 'string',
    value: 'RATIO',
    help: 'The limit of latency, memory, descriptors and database at the end against the start (default 1.1, from 600 s on)',
  },
  'keep-sec': {
    type: 'string',
    value: 'SECONDS',
    help: 'How long the store of the soak keeps what has ended (default 10)',
  },
  url: SHARED.url,
  'pass-env': SHARED['pass-env'],
  wrapper: {
    type: 'string',
    value: 'FILE',
    help: 'The program of the server, in JavaScript or Python; or a command after --',
  },
  'report-dir': SHARED['report-dir'],
  ...COMMON,
} as const satisfies OptionTable;

export type SoakedValues = OptionValues<typeof SOAKED>;

const soakOptions = {
  store: {
    type: 'string',
    value: 'ADDRESS',
    help: 'The store of the server in PostgreSQL, for the soak alone: postgres://…?schema=soak… (default: a file)',
  },
  iterations: { type: 'string', value: 'N', help: 'Measured calls, at least (default 25)' },
  'duration-sec': {
    type: 'string',
    value: 'SECONDS',
    help: 'Go on at least so long (default: until the calls are made)',
  },
  'warmup-requests': { type: 'string', value: 'N', help: 'Calls before them that are not measured (default 1)' },
  'timeout-sec': { type: 'string', value: 'SECONDS', help: 'The longest wait for one answer (default 10)' },
  transport: {
    type: 'string',
    value: 'HOW',
    help: 'line, framed or http (default: line, with --url http)',
    choices: ['line', 'framed', 'http'],
  },
  era: {
    type: 'string',
    value: 'ERA',
    help: 'The protocol: 2025-11-25 (default) or 2026-07-28',
    choices: ['2025-11-25', '2026-07-28'],
  },
  'max-p95-ms': { type: 'string', value: 'MS', help: 'The limit of the 95th percentile of latency (default 400)' },
  'server-url': {
    type: 'string',
    value: 'URL',
    help: 'The backend of the server, as MUNINN_SERVER_URL (default http://127.0.0.1:9, where nobody listens)',
  },
  'failure-threshold': { type: 'string', value: 'N', help: 'As MUNINN_MCP_BACKEND_FAILURE_THRESHOLD (default 1)' },
  'cooldown-sec': { type: 'string', value: 'SECONDS', help: 'As MUNINN_MCP_BACKEND_COOLDOWN_SEC (default 30)' },
  'task-result-mode': {
    type: 'string',
    value: 'MODE',
    help: 'How the server treats tasks/result of a task that has not ended: auto, blocking or immediate_retry (default auto)',
    choices: ['auto', 'blocking', 'immediate_retry'],
  },
  'task-result-auto-retry-clients': {
    type: 'string',
    value: 'NAMES',
    help: 'Clients that are to retry in mode auto, with commas between',
  },
  'probe-nonterminal-task-result': {
    type: 'boolean',
    help: 'Ask for the result of a task that has not ended, which must be -32002 (default for a demo)',
  },
  'no-probe-nonterminal-task-result': { type: 'boolean', help: 'Do not ask so' },
  'task-worker-start-delay-ms': {
    type: 'string',
    value: 'MS',
    help: 'How long that task takes at least, 50 or more (default 350)',
  },
  ...SOAKED,
} as const satisfies OptionTable;

export type SoakContext = CommandContext<typeof soakOptions>;

export const soak: Command<typeof soakOptions> = {
  name: 'soak',
  summary: 'Call a server again and again, with faults between, and report; or give its command after --',
  positionals: [],
  options: soakOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./run-soak.ts')).runSoakCommand(context),
};

const closureOptions = {
  'streak-target': { type: 'string', value: 'N', help: 'Runs that must pass one after the other (default 30)' },
  'max-campaign-runs': { type: 'string', value: 'N', help: 'Runs at most, not below the target (default 60)' },
  transports: {
    type: 'string',
    value: 'LIST',
    help: 'Of line, framed and http, with commas (default: what the server speaks)',
  },
  eras: {
    type: 'string',
    value: 'LIST',
    help: 'The protocols, with commas (default: both for a demo, else 2025-11-25)',
  },
  'min-p95-compliance-ratio': {
    type: 'string',
    value: 'RATIO',
    help: 'The part of the runs whose p95 must be within its limit, 0 to 1 (default 0.95)',
  },
  'soak-iterations': { type: 'string', value: 'N', help: 'As --iterations of soak (default 25)' },
  'soak-warmup-requests': { type: 'string', value: 'N', help: 'As --warmup-requests of soak (default 2)' },
  'soak-timeout-sec': { type: 'string', value: 'SECONDS', help: 'As --timeout-sec of soak (default 15)' },
  'soak-max-p95-ms': { type: 'string', value: 'MS', help: 'As --max-p95-ms of soak (default 5000)' },
  'soak-server-url': { type: 'string', value: 'URL', help: 'As --server-url of soak (default http://127.0.0.1:1)' },
  'soak-failure-threshold': { type: 'string', value: 'N', help: 'As --failure-threshold of soak (default 1)' },
  'soak-cooldown-sec': { type: 'string', value: 'SECONDS', help: 'As --cooldown-sec of soak (default 30)' },
  'soak-task-result-mode': {
    type: 'string',
    value: 'MODE',
    help: 'As --task-result-mode of soak (default auto)',
    choices: ['auto', 'blocking', 'immediate_retry'],
  },
  'soak-task-result-auto-retry-clients': {
    type: 'string',
    value: 'NAMES',
    help: 'As --task-result-auto-retry-clients of soak',
  },
  'soak-probe-nonterminal-task-result': {
    type: 'boolean',
    help: 'As --probe-nonterminal-task-result of soak (the default)',
  },
  'no-soak-probe-nonterminal-task-result': { type: 'boolean', help: 'Do not ask so' },
  'soak-task-worker-start-delay-ms': {
    type: 'string',
    value: 'MS',
    help: 'As --task-worker-start-delay-ms of soak (default 350)',
  },
  'open-wrapper-defects': {
    type: 'string',
    value: 'N',
    help: 'Known defects of the server; closed only at 0 (default 0)',
  },
  'unresolved-transport-regressions': { type: 'string', value: 'N', help: 'Likewise (default 0)' },
  'unclassified-failures': { type: 'string', value: 'N', help: 'Likewise (default 0)' },
  ...SOAKED,
} as const satisfies OptionTable;

export type ClosureContext = CommandContext<typeof closureOptions>;

export const closure: Command<typeof closureOptions> = {
  name: 'closure',
  summary: 'Soak a server over all its transports until enough runs in a row have passed',
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
    help: 'Which faults, and when: the same number gives the same plan (default: any)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: MAX_SEED }),
  },
  seconds: {
    type: 'string',
    value: 'N',
    help: 'How long; or --minutes, or --hours (default: 60 seconds)',
    parse: parseTime,
  },
  minutes: { type: 'string', value: 'N', help: 'How long, in minutes', parse: parseTime },
  hours: { type: 'string', value: 'N', help: 'How long, in hours', parse: parseTime },
  plan: { type: 'string', value: 'FILE', help: 'Run this plan, such as one that failed, instead of made ones' },
  faults: { type: 'string', value: 'KINDS', help: 'Only faults of these kinds, with commas between: kill,stop,drop' },
  rate: {
    type: 'string',
    value: 'N',
    help: 'Faults in a second, on average (default 1.2)',
    parse: (text: string, option: string) => parseNumber(text, option, { from: 0.01, to: 100 }),
  },
  'no-shrink': { type: 'boolean', help: 'Do not run a plan that failed again to find the shortest that fails' },
  store: {
    type: 'string',
    value: 'ADDRESS',
    help: 'The store of the workload in this postgres:// database, in a schema that is removed afterwards (default: a file)',
  },
  tool: SHARED.tool,
  arguments: SHARED.arguments,
  'report-dir': SHARED['report-dir'],
  ...COMMON,
} as const satisfies OptionTable;

export type ChaosContext = CommandContext<typeof chaosOptions>;

export const chaos: Command<typeof chaosOptions> = {
  name: 'chaos',
  summary: 'Make faults of a seeded plan and judge what became of every call; or give the command of a server after --',
  positionals: [],
  options: chaosOptions,
  takesCommandLine: true,
  run: async (context) => (await import('./run-chaos.ts')).runChaosCommand(context),
};

function parseTime(text: string, option: string): number {
  return parseNumber(text, option, { from: 0.01, to: 10_000 });
}

export const campaignCommands: readonly Command[] = [soak, closure, chaos];
