/**
 * Which environment variables are part of a program's identity.
 *
 * All of them, except those below: they differ between terminals, shells, host programs or sessions, and a tool that
 * depends on them is rare. Counting them would strand tasks at every restart. Variables that are not listed count,
 * including PATH, HOME and TZ: a tool of one entry must never run with what another entry was given. Where only a prefix
 * is listed, names that end like those of keys, tokens and directories count all the same.
 */
import { createHmac } from 'node:crypto';

interface VaryingGroup {
  readonly why: string;
  /** Names; a star at the end matches the rest of a name. */
  readonly names: readonly string[];
}

/** The variables that do not count, and why; the same table is in docs/workers.md. */
export const VARYING: readonly VaryingGroup[] = [
  {
    why: 'the terminal: what it is, how large, what it can show',
    names: [
      'TERM',
      'TERM_*',
      'TERMINFO*',
      'TERMINAL_EMULATOR',
      'COLORTERM',
      'COLORFGBG',
      'COLUMNS',
      'LINES',
      'LS_COLORS',
      'LSCOLORS',
      'NO_COLOR',
      'FORCE_COLOR',
      'CLICOLOR*',
      'WINDOWID',
      'VTE_VERSION',
      'ITERM_*',
      'LC_TERMINAL*',
      'KITTY_*',
      'ALACRITTY_*',
      'WEZTERM_*',
      'GHOSTTY_*',
      'KONSOLE_*',
      'WT_*',
      'GNOME_TERMINAL_*',
      'KITTY_INSTALLATION_DIR',
      'GHOSTTY_RESOURCES_DIR',
      'GHOSTTY_BIN_DIR',
      'WEZTERM_EXECUTABLE_DIR',
      'WEZTERM_CONFIG_DIR',
    ],
  },
  { why: 'a terminal inside a terminal', names: ['TMUX*', 'STY', 'WINDOW', 'ZELLIJ*'] },
  {
    why: 'the shell: where it stands and how deep it is nested; the directory counts by itself',
    names: ['_', 'PWD', 'OLDPWD', 'SHLVL', 'SHELL_SESSION_*', 'HISTFILE', 'PS1', 'PROMPT', 'PROMPT_COMMAND'],
  },
  {
    why: 'how the user is logged in, which differs from one login to the next',
    names: [
      'SSH_*',
      'INVOCATION_ID',
      'JOURNAL_STREAM',
      'SYSTEMD_EXEC_PID',
      'XPC_*',
      'SECURITYSESSIONID',
      '__CF*',
      'LaunchInstanceID',
    ],
  },
  {
    why: 'the desktop session',
    names: [
      'DISPLAY',
      'WAYLAND_DISPLAY',
      'XAUTHORITY',
      'XDG_SESSION_*',
      'XDG_SEAT*',
      'XDG_VTNR',
      'DBUS_*',
      'DESKTOP_STARTUP_ID',
      'XDG_ACTIVATION_TOKEN',
      'SESSION_MANAGER',
      'GIO_LAUNCHED_*',
      'GPG_TTY',
    ],
  },
  {
    why: 'the framework that starts the server, which tells itself when it was started, and as which deployment',
    names: ['NEXT_PRIVATE_*', '__NEXT_*', 'NEXT_DEPLOYMENT_ID', 'NEXT_RUNTIME'],
  },
  {
    why: 'npm, npx and their like, which set them for the script they run',
    names: ['npm_*', 'NPM_LIFECYCLE_*', 'PNPM_SCRIPT_*', 'INIT_CWD', 'BERRY_BIN_FOLDER', 'BUN_WHICH_*'],
  },
  {
    why: 'the host that starts the server, and its session',
    names: [
      'CLAUDECODE',
      'CLAUDE_CODE_*',
      'CLAUDE_SESSION_*',
      'CLAUDE_AGENT_SDK_*',
      'CLAUDE_EFFORT',
      'CODEX_SESSION*',
      'CODEX_THREAD*',
      'CODEX_SANDBOX*',
      'CODEX_INTERNAL_*',
      'CODEX_CI',
      'CODEX_MANAGED_*',
      'GEMINI_CLI*',
      'QWEN_CODE*',
      'CURSOR_*',
      'VSCODE_*',
      'OPENCODE*',
      'COPILOT_*',
      'CLINE_*',
      'CONTINUE_*',
      'ZED_*',
      'WINDSURF_*',
      'IDEA_*',
      'JETBRAINS_*',
      'TERMINAL_SESSION_ID',
      'AI_AGENT',
      'MCP_SESSION_ID',
      'ELECTRON_*',
      'CHROME_DESKTOP',
      'ORIGINAL_XDG_CURRENT_DESKTOP',
    ],
  },
  {
    why: 'what Node tells, and how fast it starts',
    names: ['NODE_NO_WARNINGS', 'NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE', 'NODE_CHANNEL_*', 'NODE_UNIQUE_ID'],
  },
  {
    why: 'what Holdfast gives to processes that it starts',
    names: ['HOLDFAST_WORKER', 'HOLDFAST_CHILD', 'HOLDFAST_TREE', 'HOLDFAST_GROUP'],
  },
];

const NAMES = VARYING.flatMap(({ names }) => names);
const EXACT = new Set(NAMES.filter((name) => !name.endsWith('*')));
const PREFIXES = NAMES.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
const COUNTS_ANYWAY = /(_KEY|_TOKEN|_SECRET|_PASSWORD|_CREDENTIALS|_HOME|_DIR|_URL)$/;

/** Whether a variable is part of a program's identity. */
export function countsAsIdentity(variable: string): boolean {
  if (EXACT.has(variable)) return false;
  return COUNTS_ANYWAY.test(variable) || !PREFIXES.some((prefix) => variable.startsWith(prefix));
}

/** Returns the environment that counts, as a keyed hash: a reader learns no value, and cannot guess any without the key. */
export function hashEnvironment(env: NodeJS.ProcessEnv, key: Uint8Array): string {
  const entries = Object.entries(env).filter(([name, value]) => value !== undefined && countsAsIdentity(name));
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha256', key)
    .update(JSON.stringify(['environment', entries]))
    .digest('base64url');
}
