import type { Command } from '../command-line/command.ts';

interface CommandGroup {
  /** The first words of this group's commands. */
  readonly words: readonly string[];
  readonly load: () => Promise<readonly Command[]>;
}

/** All commands, in the order of help. A group is loaded only when its first word is given: each module costs start-up time. */
const GROUPS: readonly CommandGroup[] = [
  { words: ['init'], load: async () => (await import('./init/init-commands.ts')).initCommands },
  { words: ['tools'], load: async () => (await import('./tools/tools-commands.ts')).toolsCommands },
  { words: ['call', 'calls'], load: async () => (await import('./calls/call-commands.ts')).callCommands },
  { words: ['tasks', 'store'], load: async () => (await import('./tasks/task-commands.ts')).taskCommands },
  { words: ['logs', 'where'], load: async () => (await import('./inspect/inspect-commands.ts')).inspectCommands },
  { words: ['prompts'], load: async () => (await import('./prompts/prompt-commands.ts')).promptCommands },
  {
    words: ['sandbox', 'dashboard'],
    load: async () => (await import('./sandbox/sandbox-commands.ts')).sandboxCommands,
  },
  { words: ['gateway', 'auth'], load: async () => (await import('./gateway/gateway-commands.ts')).gatewayCommands },
  { words: ['demo', 'codex', 'worker'], load: async () => (await import('./serve/serve-commands.ts')).serveCommands },
  { words: ['monitor'], load: async () => (await import('./monitor/monitor-commands.ts')).monitorCommands },
  {
    words: ['install', 'uninstall', 'doctor'],
    load: async () => (await import('./install/install-commands.ts')).installCommands,
  },
  {
    words: ['soak', 'closure', 'chaos'],
    load: async () => (await import('./campaigns/campaign-commands.ts')).campaignCommands,
  },
  {
    words: ['completion'],
    load: async () => (await import('./completion/completion-commands.ts')).completionCommands,
  },
];

/** Loads the commands that begin with a word, or all of them if no group has that word. */
export async function loadCommands(word: string | undefined): Promise<readonly Command[]> {
  const group = GROUPS.find(({ words }) => word !== undefined && words.includes(word));
  const loaded = await Promise.all((group ? [group] : GROUPS).map(({ load }) => load()));
  return loaded.flat();
}
