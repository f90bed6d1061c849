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
  all: { type: 'boolean', help: 'All servers that are named there' },
  yes: { type: 'boolean', short: 'y', help: 'Change the files without asking' },
  'dry-run': { type: 'boolean', help: 'Show the difference, and change nothing' },
  ...COMMON,
} as const satisfies OptionTable;

const installOptions = {
  ...WHICH,
  command: {
    type: 'string',
    value: 'WORDS',
    help: 'What clients shall start, such as "npx -y holdfast" (default: this program by its path)',
  },
} as const satisfies OptionTable;

export type InstallContext = CommandContext<typeof installOptions>;

const install: Command<typeof installOptions> = {
  name: 'install',
  summary: 'Put servers of MCP clients on this machine behind the gateway, so that slow calls come back',
  positionals: ['[NAME...]'],
  options: installOptions,
  run: async (context) => (await import('./run-install.ts')).runInstall(context),
};

export type UninstallContext = CommandContext<typeof WHICH>;

const uninstall: Command<typeof WHICH> = {
  name: 'uninstall',
  summary: 'Put the entries of MCP clients back as they were',
  positionals: ['[NAME...]'],
  options: WHICH,
  run: async (context) => (await import('./run-uninstall.ts')).runUninstall(context),
};

const doctorOptions = { ...COMMON } as const satisfies OptionTable;

export type DoctorContext = CommandContext<typeof doctorOptions>;

const doctor: Command<typeof doctorOptions> = {
  name: 'doctor',
  summary: 'Look at the MCP clients on this machine: their servers, their time limits, and which tools outlast them',
  positionals: [],
  options: doctorOptions,
  run: async (context) => (await import('./run-doctor.ts')).runDoctor(context),
};

export const installCommands: readonly Command[] = [install, uninstall, doctor];
