/** The commands that serve a page in the browser: the sandbox, and the dashboard of a store. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { parseWhole } from '../../command-line/parse-value.ts';
import { COMMON, STORE } from '../../command-line/shared-options.ts';

const PAGE = {
  port: {
    type: 'string',
    value: 'PORT',
    help: 'The port of this machine (default 4399); one of the next is taken where it is in use, and 0 takes any free one',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: 65_535 }),
  },
  open: { type: 'boolean', help: 'Open the page in the browser' },
} as const satisfies OptionTable;

const sandboxOptions = {
  ...PAGE,
  config: {
    type: 'string',
    value: 'FILE',
    help: 'A holdfast.json with the servers to try (default: the demo server)',
  },
  'plugin-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Also call the ChatOS plugin in this directory, as its plugin.json says',
  },
  store: { type: 'string', value: 'DIR', help: 'The directory in which the sandbox keeps everything' },
  name: { type: 'string', value: 'NAME', help: 'Names a sandbox, which has a directory of its own (default sandbox)' },
  ...COMMON,
} as const satisfies OptionTable;

export type SandboxContext = CommandContext<typeof sandboxOptions>;

const sandbox: Command<typeof sandboxOptions> = {
  name: 'sandbox',
  summary: 'Open a page on which tools are called, watched live, and their workers killed',
  positionals: [],
  options: sandboxOptions,
  run: async (context) => (await import('./run-sandbox.ts')).runSandbox(context),
};

const dashboardOptions = {
  ...PAGE,
  ...STORE,
  ...COMMON,
} as const satisfies OptionTable;

export type DashboardContext = CommandContext<typeof dashboardOptions>;

const dashboard: Command<typeof dashboardOptions> = {
  name: 'dashboard',
  summary: 'Open a page on the tasks and workers of a store, live',
  positionals: [],
  options: dashboardOptions,
  run: async (context) => (await import('./run-dashboard.ts')).runDashboard(context),
};

export const sandboxCommands: readonly Command[] = [sandbox, dashboard];
