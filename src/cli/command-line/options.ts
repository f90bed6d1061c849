/**
 * Everything the command line understands: one table of options and one of commands.
 *
 * Parsing, checking and help all read these tables; nothing is written twice.
 */
import { CHAOS_COMMANDS, CHAOS_OPTIONS } from './chaos-table.ts';
import { SOAK_COMMANDS, SOAK_OPTIONS } from './soak-table.ts';

interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** It may be given several times, and is a list. */
  readonly multiple?: true;
  /** How help calls the value. */
  readonly value?: string;
  readonly help: string;
}

interface CommandSpec {
  readonly summary: string;
  /** As help shows them; `[X]` may be left out, and `[X...]` may be given several times. */
  readonly positionals: readonly string[];
  readonly options: readonly OptionName[];
}

export const OPTIONS = {
  store: { type: 'string', value: 'PATH', help: 'The store: a database file, or the directory of its tasks.db' },
  name: { type: 'string', value: 'NAME', help: 'The store of the server of this name, in its default directory' },
  status: {
    type: 'string',
    value: 'STATUS',
    help: 'Only tasks in this status: queued, working, input_required, completed, failed or cancelled',
  },
  tool: { type: 'string', value: 'TOOL', help: 'Only tasks of this tool; for soak and chaos, the tool that is called' },
  principal: { type: 'string', value: 'PRINCIPAL', help: 'Only tasks, or the log, of this principal' },
  limit: { type: 'string', value: 'N', help: 'How many tasks at most, 1 to 1000 (default 20)' },
  all: { type: 'boolean', help: 'All of them, however many' },
  after: { type: 'string', value: 'SEQ', help: 'Only events after this number (default 0)' },
  decline: { type: 'boolean', help: 'Decline the question instead of answering it' },
  cancel: { type: 'boolean', help: 'Dismiss the question without an answer' },
  reason: { type: 'string', value: 'TEXT', help: 'Why; becomes part of the outcome' },
  'older-than': {
    type: 'string',
    value: 'AGE',
    help: 'Also drop tasks that ended this long ago, whatever their ttl: 90s, 15m, 1h, 7d',
  },
  tombstones: { type: 'boolean', help: 'Also forget tombstones (with --older-than: those of that age)' },
  http: {
    type: 'string',
    value: 'PORT',
    help: 'Serve HTTP on this port of this machine, at /mcp, to those with the token it prints; 0 takes a free one (default: stdin and stdout)',
  },
  'no-auth': { type: 'boolean', help: 'With --http: ask for no token, so that every user of this machine is let in' },
  server: {
    type: 'string',
    value: 'NAME',
    help: 'The server of this name in holdfast.json or .mcp.json, here or above; or give its command after --',
  },
  url: { type: 'string', value: 'URL', help: 'The server at this URL' },
  plugin: { type: 'string', value: 'DIR', help: 'The ChatOS plugin in this directory, as its plugin.json says' },
  app: { type: 'string', value: 'ID', help: 'Which app of the plugin; needed when several have a server' },
  'pass-env': {
    type: 'string',
    value: 'NAMES',
    help: 'Variables that the server gets beside the usual few, with commas: AWS_*,EDITOR',
  },
  trust: {
    type: 'boolean',
    help: 'Start what a project file or the ledger says without asking, now and from now on',
  },
  'state-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where apps keep their log of prompts (default: $CHATOS_STATE_DIR, else beside the ledger)',
  },
  'state-root': {
    type: 'string',
    value: 'DIR',
    help: 'Where calls may place the log of prompts; several with : between (default: on stdio the home directory)',
  },
  file: { type: 'string', value: 'FILE', help: 'The log of prompts itself' },
  follow: { type: 'boolean', short: 'f', help: 'Also show what comes, until Ctrl-C' },
  lines: { type: 'string', short: 'n', value: 'N', help: 'How many entries from before, 0 to 1000000 (default 10)' },
  ledger: {
    type: 'string',
    value: 'FILE',
    help: "Where calls are kept (default: calls.db in the user's state directory)",
  },
  session: { type: 'string', value: 'ID', help: 'Groups calls' },
  detach: { type: 'boolean', help: 'Print the id of the call and go; the work goes on' },
  'max-wait': { type: 'string', value: 'SECONDS', help: 'The longest wait (default: none)' },
  recursive: { type: 'boolean', short: 'r', help: 'Scan the directories below too' },
  rehash: { type: 'boolean', help: 'Hash files even if size and time are as before' },
  'bare-jobs': {
    type: 'boolean',
    help: 'Answer with the bare { success, data, messages }, for clients that know two-stage jobs and no tool results',
  },
  db: {
    type: 'string',
    value: 'FILE',
    help: "The monitor database (default: monitor.db in the user's state directory)",
  },
  config: {
    type: 'string',
    value: 'FILE',
    help: "The config of the app (default: monitor.json or codex.json in the app's state directory)",
  },
  codex: { type: 'string', value: 'PATH', help: 'The codex program (default: $HOLDFAST_CODEX, else codex on PATH)' },
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where the state file lies (default: what the call or the environment says, else the state directory)',
  },
  root: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'A directory in which calls may choose where Codex works, beside the one it is started in; may be repeated',
  },
  sandbox: {
    type: 'string',
    value: 'MODE',
    help: 'What Codex may touch: read-only, workspace-write (default) or danger-full-access',
  },
  model: { type: 'string', value: 'MODEL', help: "The model (default: Codex's own choice)" },
  'require-task-id': { type: 'boolean', help: 'Refuse calls of slow tools that have no taskId in _meta' },
  'key-file': {
    type: 'string',
    value: 'FILE',
    help: 'Keys of an encoded store or ledger, one "ID KEY" per line, mode 0600 (default: $HOLDFAST_KEY_FILE)',
  },
  vacuum: {
    type: 'boolean',
    help: 'Write the file anew afterwards, so that no older copy of a payload is left in it; others wait meanwhile',
  },
  redact: {
    type: 'string',
    value: 'FIELDS',
    help: 'Arguments that are not kept in clear nor shown, with commas between: apiKey,/auth/*',
  },
  ...SOAK_OPTIONS,
  ...CHAOS_OPTIONS,
  json: { type: 'boolean', help: 'Print JSON: one document, or one line per event for tail' },
  help: { type: 'boolean', short: 'h', help: 'Show help' },
  version: { type: 'boolean', help: 'Show the version' },
} as const satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof OPTIONS;

/** Parsed options; each is absent unless it was given. */
export type OptionValues = { readonly [Name in OptionName]?: OptionValue<(typeof OPTIONS)[Name]> };

type OptionValue<Spec extends OptionSpec> = Spec extends { readonly multiple: true }
  ? readonly string[]
  : Spec['type'] extends 'boolean'
    ? boolean
    : string;

const STORE = ['store', 'name', 'key-file'] as const;
const COMMON = ['json', 'help'] as const;
const CALLS = ['ledger', 'state-dir', 'key-file', ...COMMON] as const;
const PROMPTS = ['file', 'state-dir', 'plugin', 'app', ...STORE, 'principal', ...COMMON] as const;
const MONITOR = ['db', 'config', ...COMMON] as const;

const COMMANDS = {
  'tasks list': {
    summary: 'List tasks, newest first',
    positionals: [],
    options: [...STORE, 'status', 'tool', 'principal', 'limit', 'all', ...COMMON],
  },
  'tasks show': { summary: 'Show one task in full', positionals: ['TASK'], options: [...STORE, ...COMMON] },
  'tasks tail': {
    summary: 'Follow the events of a task until it ends',
    positionals: ['TASK'],
    options: [...STORE, 'after', ...COMMON],
  },
  'tasks answer': {
    summary: 'Answer an open question, with - from stdin; KEY may be left out when only one is open',
    positionals: ['TASK', '[KEY]', '[JSON]'],
    options: [...STORE, 'decline', 'cancel', ...COMMON],
  },
  'tasks cancel': {
    summary: 'Cancel a task',
    positionals: ['TASK'],
    options: [...STORE, 'reason', ...COMMON],
  },
  'tasks prune': {
    summary: 'Drop finished tasks whose time is up',
    positionals: [],
    options: [...STORE, 'older-than', 'tombstones', ...COMMON],
  },
  'tasks adopt': {
    summary: 'Give tasks that wait for a worker that cannot come to the newest program of their name',
    positionals: ['[TASK...]'],
    options: [...STORE, 'all', ...COMMON],
  },
  'store rekey': {
    summary: 'Encode every payload with the first key of the key file; also what lies in clear',
    positionals: [],
    options: [...STORE, 'ledger', 'vacuum', ...COMMON],
  },
  call: {
    summary: 'Call a tool and wait for its outcome, however long; arguments may come from stdin, with -',
    positionals: ['TOOL', '[JSON]'],
    options: [
      'server',
      'url',
      'plugin',
      'app',
      'pass-env',
      'trust',
      'session',
      'max-wait',
      'detach',
      'redact',
      ...CALLS,
    ],
  },
  'calls list': {
    summary: 'List calls whose outcome nobody has taken',
    positionals: [],
    options: ['session', 'all', ...CALLS],
  },
  'calls show': { summary: 'Show one call in full', positionals: ['CALL'], options: CALLS },
  'calls wait': { summary: 'Wait for a call again', positionals: ['CALL'], options: ['trust', ...CALLS] },
  'calls resume': { summary: 'Wait for all pending calls', positionals: [], options: ['trust', ...CALLS] },
  'calls cancel': {
    summary: 'Cancel a call and its work',
    positionals: ['CALL'],
    options: ['reason', 'trust', ...CALLS],
  },
  'prompts list': {
    summary: 'List what apps ask, then results nobody has looked at',
    positionals: [],
    options: ['all', ...PROMPTS],
  },
  'prompts answer': {
    summary: 'Answer a prompt, with - from stdin; without JSON you are asked',
    positionals: ['REQUEST', '[JSON]'],
    options: ['cancel', ...PROMPTS],
  },
  'prompts tail': {
    summary: 'Show the last entries of a log of prompts',
    positionals: [],
    options: ['follow', 'lines', ...PROMPTS],
  },
  'prompts explain': {
    summary: 'Say why the result of a task is not found in the log',
    positionals: ['TASKID'],
    options: ['ledger', ...PROMPTS],
  },
  demo: {
    summary: 'Serve MCP tools that are slow, ask, fail or can be cancelled',
    positionals: [],
    options: ['http', 'no-auth', 'state-root', ...COMMON],
  },
  codex: {
    summary: 'Serve Codex as MCP tools: runs in windows, streamed or answered when they end',
    positionals: [],
    options: [
      'http',
      'no-auth',
      'codex',
      'root',
      'data-dir',
      'sandbox',
      'model',
      'config',
      'require-task-id',
      'state-root',
      ...COMMON,
    ],
  },
  'monitor sync': {
    summary: 'Bring the monitor database up to date with a file or a directory',
    positionals: ['PATH'],
    options: ['recursive', 'rehash', ...MONITOR],
  },
  'monitor status': {
    summary: 'Show how many files are tracked, and how the last sync went',
    positionals: [],
    options: MONITOR,
  },
  'monitor check': { summary: 'Show whether a path is monitored, and why', positionals: ['PATH'], options: MONITOR },
  'monitor filter show': { summary: 'Show what is included and excluded', positionals: [], options: MONITOR },
  'monitor filter add': {
    summary: 'Add to a list: include_paths, exclude_globs and so on',
    positionals: ['LIST', 'VALUE'],
    options: MONITOR,
  },
  'monitor filter remove': { summary: 'Remove from a list', positionals: ['LIST', 'VALUE'], options: MONITOR },
  'monitor priority show': { summary: 'Show the priorities of directories', positionals: [], options: MONITOR },
  'monitor priority add': {
    summary: 'Give the files in a directory a priority',
    positionals: ['PATH', 'PRIORITY'],
    options: MONITOR,
  },
  'monitor priority remove': { summary: 'Take that priority away', positionals: ['PATH'], options: MONITOR },
  monitor: {
    summary: 'Serve the file monitor as MCP tools',
    positionals: [],
    options: ['http', 'no-auth', 'bare-jobs', 'state-root', ...MONITOR],
  },
  ...SOAK_COMMANDS,
  ...CHAOS_COMMANDS,
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

export const commandNames = Object.keys(COMMANDS) as readonly CommandName[];

export function getOption(name: OptionName): OptionSpec {
  return OPTIONS[name];
}

export function getCommand(name: CommandName): CommandSpec {
  return COMMANDS[name];
}
