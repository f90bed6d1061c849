/** Options shared by several commands. */
import type { OptionTable, OptionValues } from './option.ts';
import { parseWhole } from './parse-value.ts';

export const SHARED = {
  tool: { type: 'string', value: 'TOOL', help: 'Only tasks of this tool; for soak and chaos, the tool that is called' },
  principal: { type: 'string', value: 'PRINCIPAL', help: 'Only tasks, or the log, of this principal' },
  all: { type: 'boolean', help: 'All of them, however many' },
  cancel: { type: 'boolean', help: 'Dismiss the question without an answer' },
  reason: { type: 'string', value: 'TEXT', help: 'Why; becomes part of the outcome' },
  url: { type: 'string', value: 'URL', help: 'The server at this URL' },
  plugin: { type: 'string', value: 'DIR', help: 'The ChatOS plugin in this directory, as its plugin.json says' },
  app: { type: 'string', value: 'ID', help: 'Which app of the plugin; needed when several have a server' },
  'pass-env': {
    type: 'string',
    value: 'NAMES',
    help: 'Variables that the server gets beside the usual few, with commas: AWS_*,EDITOR',
  },
  trust: { type: 'boolean', help: 'Start what a project file or the ledger says without asking, now and from now on' },
  session: { type: 'string', value: 'ID', help: 'Groups calls' },
  'key-file': {
    type: 'string',
    value: 'FILE',
    help: 'Keys of an encoded store or ledger, one "ID KEY" per line, mode 0600 (default: $HOLDFAST_KEY_FILE)',
  },
  ledger: {
    type: 'string',
    value: 'FILE',
    help: "Where calls are kept (default: calls.db in the user's state directory)",
  },
  'state-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where apps keep their log of prompts (default: $CHATOS_STATE_DIR, else beside the ledger)',
  },
  config: {
    type: 'string',
    value: 'FILE',
    help: "The config of the app (default: monitor.json or codex.json in the app's state directory)",
  },
  http: {
    type: 'string',
    value: 'PORT',
    help: 'Serve HTTP on this port of this machine, at /mcp, to those with the token it prints; 0 takes a free one (default: stdin and stdout)',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: 65_535 }),
  },
  'no-auth': { type: 'boolean', help: 'With --http: ask for no token, so that every user of this machine is let in' },
  'state-root': {
    type: 'string',
    value: 'DIR',
    help: 'Where calls may place the log of prompts; several with : between (default: on stdio the home directory)',
  },
  arguments: {
    type: 'string',
    value: 'JSON',
    help: 'The arguments of the measured calls (default {}); {call} in a text becomes the name of each call',
  },
  'report-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where reports go (default reports/mcp_transport, or reports/chaos)',
  },
} as const satisfies OptionTable;

export const COMMON = {
  json: {
    type: 'boolean',
    help: 'Print JSON, one document per line: one line, or for what is listed or followed one per entry',
  },
  help: { type: 'boolean', short: 'h', help: 'Show help' },
} as const satisfies OptionTable;

/** Selects the store. */
export const STORE = {
  store: {
    type: 'string',
    value: 'PATH',
    help: 'The store: a database file, the directory of its tasks.db, or a postgres:// address; also as HOLDFAST_STORE',
  },
  name: { type: 'string', value: 'NAME', help: 'The store of the server of this name, in its default directory' },
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
  file: { type: 'string', value: 'FILE', help: 'The log of prompts itself' },
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
    help: "The monitor database (default: monitor.db in the user's state directory)",
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
