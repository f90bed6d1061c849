/** Options shared by several commands. */
import type { OptionTable, OptionValues } from './option.ts';
import { parseWhole } from './parse-value.ts';

export const SHARED = {
  tool: {
    type: 'string',
    value: 'TOOL',
    help: 'Only tasks of this tool; with soak, closure and chaos: the tool to call',
  },
  principal: {
    type: 'string',
    value: 'PRINCIPAL',
    help: 'Only tasks of this principal; with prompts: the prompt log of this principal',
  },
  all: { type: 'boolean', help: 'All of them, not only the default selection' },
  cancel: { type: 'boolean', help: 'Dismiss the question without an answer' },
  reason: { type: 'string', value: 'TEXT', help: 'Reason for the cancellation, stored in the outcome' },
  url: { type: 'string', value: 'URL', help: 'URL of the server' },
  plugin: { type: 'string', value: 'DIR', help: 'Directory of a ChatOS plugin; its plugin.json defines the server' },
  app: { type: 'string', value: 'ID', help: 'App of the plugin; required if several apps have a server' },
  'pass-env': {
    type: 'string',
    value: 'NAMES',
    help: 'Additional environment variables for the server, comma-separated: AWS_*,EDITOR',
  },
  trust: {
    type: 'boolean',
    help: 'Start servers from a project file or the ledger without asking, now and in the future',
  },
  session: { type: 'string', value: 'ID', help: 'Session ID that groups calls' },
  'key-file': {
    type: 'string',
    value: 'FILE',
    help: 'Keys of an encrypted store or ledger, one "ID KEY" per line, mode 0600 (default: $HOLDFAST_KEY_FILE)',
  },
  ledger: {
    type: 'string',
    value: 'FILE',
    help: "Ledger of calls (default: calls.db in the user's state directory)",
  },
  'state-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Directory of the prompt log of apps (default: $CHATOS_STATE_DIR, else beside the ledger)',
  },
  config: {
    type: 'string',
    value: 'FILE',
    help: "Config file of the app (default: monitor.json or codex.json in the app's state directory)",
  },
  http: {
    type: 'string',
    value: 'PORT',
    help: 'Serve HTTP at /mcp on this local port and print the token that clients need; 0 picks a free port (default: stdio)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: 65_535 }),
  },
  'no-auth': { type: 'boolean', help: 'With --http: require no token; every user of this machine has access' },
  'state-root': {
    type: 'string',
    value: 'DIR',
    help: 'Directories in which calls may place the prompt log, separated by : (default on stdio: the home directory)',
  },
  arguments: {
    type: 'string',
    value: 'JSON',
    help: 'Arguments of the measured calls (default {}); {call} in a string is replaced by the name of the call',
  },
  'report-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Directory for reports (default reports/mcp_transport or reports/chaos)',
  },
} as const satisfies OptionTable;

export const COMMON = {
  json: {
    type: 'boolean',
    help: 'Print JSON, one document per line; lists and streams print one per entry',
  },
  help: { type: 'boolean', short: 'h', help: 'Show help' },
} as const satisfies OptionTable;

/** Selects the store. */
export const STORE = {
  store: {
    type: 'string',
    value: 'PATH',
    help: 'Store: a database file, the directory of its tasks.db, or a postgres:// address; or set HOLDFAST_STORE',
  },
  name: { type: 'string', value: 'NAME', help: 'Use the store of the server with this name, in its default directory' },
  'key-file': SHARED['key-file'],
} as const satisfies OptionTable;

const EVERYWHERE = '(default: all stores of this user)';

/** Selects the stores in which tasks are looked up. */
export const STORES = {
  store: { ...STORE.store, help: `${STORE.store.help} ${EVERYWHERE}` },
  name: STORE.name,
  'key-file': STORE['key-file'],
} as const satisfies OptionTable;

/** Selects the ledger of calls. */
export const CALLS = {
  ledger: SHARED.ledger,
  'state-dir': SHARED['state-dir'],
  'key-file': SHARED['key-file'],
  ...COMMON,
} as const satisfies OptionTable;

/** Selects the prompt log. */
export const PROMPTS = {
  file: { type: 'string', value: 'FILE', help: 'Path of the prompt log' },
  'state-dir': SHARED['state-dir'],
  plugin: SHARED.plugin,
  app: SHARED.app,
  ...STORE,
  principal: SHARED.principal,
  ...COMMON,
} as const satisfies OptionTable;

/** Where the file monitor keeps its database and config. */
export const MONITOR = {
  db: {
    type: 'string',
    value: 'FILE',
    help: "Monitor database (default: monitor.db in the user's state directory)",
  },
  config: SHARED.config,
  ...COMMON,
} as const satisfies OptionTable;

/** How clients reach a served server. */
export const LISTENING = {
  http: SHARED.http,
  'no-auth': SHARED['no-auth'],
} as const satisfies OptionTable;

export type StoreValues = OptionValues<typeof STORE>;
export type CallsValues = OptionValues<typeof CALLS>;
export type PromptsValues = OptionValues<typeof PROMPTS>;
export type MonitorValues = OptionValues<typeof MONITOR>;
export type ListeningValues = OptionValues<typeof LISTENING>;
