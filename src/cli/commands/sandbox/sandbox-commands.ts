/** The commands that serve a page in the browser: the sandbox, and the dashboard of a store. */
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { parseWhole } from '../../command-line/parse-value.ts';
import { COMMON, STORE } from '../../command-line/shared-options.ts';

const PAGE = {
  port: {
    type: 'string',
    value: 'PORT',
    help: 'Local port (default 4399); if it is in use, the next free one; 0 picks any free port',
    parse: (text: string, option: string) => parseWhole(text, option, { from: 0, to: 65_535 }),
  },
  open: { type: 'boolean', help: 'Open the page in the browser' },
} as const satisfies OptionTable;

const sandboxOptions = {
  ...PAGE,
  config: {
    type: 'string',
    value: 'FILE',
    help: 'holdfast.json with the servers to try (default: the demo server)',
  },
  'plugin-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Directory of a ChatOS plugin to call as well, as defined by its plugin.json',
  },
  store: { type: 'string', value: 'DIR', help: 'Directory for all data of the sandbox' },
  name: { type: 'string', value: 'NAME', help: 'Name of the sandbox, which has its own directory (default sandbox)' },
  ...COMMON,
} as const satisfies OptionTable;

export type SandboxContext = CommandContext<typeof sandboxOptions>;

const sandbox: Command<typeof sandboxOptions> = {
  name: 'sandbox',
  summary: 'Serve a page to call tools, watch them live and kill their workers',
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
  summary: 'Serve a live page of the tasks and workers of a store',
  positionals: [],
  options: dashboardOptions,
  run: async (context) => (await import('./run-dashboard.ts')).runDashboard(context),
};

export const sandboxCommands: readonly Command[] = [sandbox, dashboard];
