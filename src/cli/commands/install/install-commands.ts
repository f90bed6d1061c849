/** Commands that put clients' servers behind the gateway, and undo that. */
import { CLIENT_NAMES } from '../../../gateway/clients/client-names.ts';
import type { Command, CommandContext } from '../../command-line/command.ts';
import type { OptionTable } from '../../command-line/option.ts';
import { parseChoice } from '../../command-line/parse-value.ts';
import { COMMON } from '../../command-line/shared-options.ts';

const WHICH = {
  client: {
    type: 'string',
    value: 'CLIENT',
    help: `Only this client: ${CLIENT_NAMES.join(', ')}`,
    choices: CLIENT_NAMES,
    parse: (text: string, option: string) => parseChoice(text, option, CLIENT_NAMES),
  },
  all: { type: 'boolean', help: 'All servers in the client configs' },
  yes: { type: 'boolean', short: 'y', help: 'Change files without asking' },
  'dry-run': { type: 'boolean', help: 'Show the changes without making them' },
  ...COMMON,
} as const satisfies OptionTable;

const installOptions = {
  ...WHICH,
  command: {
    type: 'string',
    value: 'WORDS',
    help: 'Command that clients run, such as "npx -y holdfast" (default: the path of this program)',
  },
} as const satisfies OptionTable;

export type InstallContext = CommandContext<typeof installOptions>;

const install: Command<typeof installOptions> = {
  name: 'install',
  summary: 'Put servers of MCP clients on this machine behind the gateway, to make slow calls durable',
  positionals: ['[NAME...]'],
  options: installOptions,
  run: async (context) => (await import('./run-install.ts')).runInstall(context),
};

export type UninstallContext = CommandContext<typeof WHICH>;

const uninstall: Command<typeof WHICH> = {
  name: 'uninstall',
  summary: 'Restore the original entries in the configs of MCP clients',
  positionals: ['[NAME...]'],
  options: WHICH,
  run: async (context) => (await import('./run-uninstall.ts')).runUninstall(context),
};

const doctorOptions = { ...COMMON } as const satisfies OptionTable;

export type DoctorContext = CommandContext<typeof doctorOptions>;

const doctor: Command<typeof doctorOptions> = {
  name: 'doctor',
  summary: 'Check the MCP clients on this machine: their servers, their timeouts, and which tools outlast them',
  positionals: [],
  options: doctorOptions,
  run: async (context) => (await import('./run-doctor.ts')).runDoctor(context),
};

export const installCommands: readonly Command[] = [install, uninstall, doctor];
