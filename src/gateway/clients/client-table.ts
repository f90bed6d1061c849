/**
 * The clients whose servers can be put behind the gateway: where their files lie, and how they write a server down.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ClientName } from './client-names.ts';
import type { ConfigSyntax } from './config-syntax.ts';
import { jsonSyntax } from './json-syntax.ts';
import { tomlSyntax } from './toml-syntax.ts';

/** What is known of a client's configuration. */
export interface ClientConfig {
  readonly name: ClientName;
  readonly title: string;
  /** When it gives up on a call, in ms, unless its file says otherwise; `null` for never. */
  readonly giveUpMs: number | null;
  readonly syntax: ConfigSyntax;
  /** Where servers stand in a file; `*` is any name. */
  readonly tables: readonly (readonly string[])[];
  /** Its files, the user's first; not all of them need to be there. */
  files(place: ClientPlace): readonly string[];
  /** How it writes a program down: its name and arguments apart, or as one list. */
  readonly command: 'apart' | 'list';
  /** What `type` says of a program, where a client has that field. */
  readonly stdioType: string;
  /** The field that holds the URL of streamable HTTP. */
  readonly urls: readonly string[];
  /** The fields with headers, and with the environment of a program. */
  readonly headers: string;
  readonly env: string;
  /** The field that sets how long a call may take, and what one of it is in milliseconds. */
  readonly limit?: { readonly field: string; readonly unitMs: number };
}

/** Whose files are meant. */
export interface ClientPlace {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** The user who runs this program. */
export function findPlace(): ClientPlace {
  const { env, platform } = process;
  return { home: env.HOME || homedir(), cwd: process.cwd(), platform, env };
}

const MINUTE = 60_000;

const COMMON = {
  syntax: jsonSyntax,
  tables: [['mcpServers']],
  command: 'apart',
  stdioType: 'stdio',
  urls: ['url'],
  headers: 'headers',
  env: 'env',
} as const satisfies Partial<ClientConfig>;

export const CLIENTS: readonly ClientConfig[] = [
  {
    ...COMMON,
    name: 'claude-code',
    title: 'Claude Code',
    giveUpMs: 5 * MINUTE,
    tables: [['mcpServers'], ['projects', '*', 'mcpServers']],
    files: ({ home, cwd, env }) => [join(env.CLAUDE_CONFIG_DIR ?? home, '.claude.json'), join(cwd, '.mcp.json')],
    limit: { field: 'timeout', unitMs: 1 },
  },
  {
    ...COMMON,
    name: 'claude-desktop',
    title: 'Claude Desktop',
    giveUpMs: MINUTE,
    files: (place) => [join(findSettings(place), 'Claude', 'claude_desktop_config.json')],
  },
  {
    ...COMMON,
    name: 'codex',
    title: 'Codex',
    giveUpMs: 5 * MINUTE,
    syntax: tomlSyntax,
    tables: [['mcp_servers']],
    headers: 'http_headers',
    files: ({ home, cwd, env }) => [
      join(env.CODEX_HOME ?? join(home, '.codex'), 'config.toml'),
      join(cwd, '.codex', 'config.toml'),
    ],
    limit: { field: 'tool_timeout_sec', unitMs: 1000 },
  },
  {
    ...COMMON,
    name: 'cursor',
    title: 'Cursor',
    giveUpMs: MINUTE,
    files: ({ home, cwd }) => [join(home, '.cursor', 'mcp.json'), join(cwd, '.cursor', 'mcp.json')],
  },
  {
    ...COMMON,
    name: 'vscode',
    title: 'VS Code',
    giveUpMs: null,
    tables: [['servers']],
    files: (place) => [join(findSettings(place), 'Code', 'User', 'mcp.json'), join(place.cwd, '.vscode', 'mcp.json')],
  },
  {
    ...COMMON,
    name: 'gemini',
    title: 'Gemini CLI',
    giveUpMs: 10 * MINUTE,
    urls: ['httpUrl', 'url'],
    files: ({ home, cwd }) => [join(home, '.gemini', 'settings.json'), join(cwd, '.gemini', 'settings.json')],
    limit: { field: 'timeout', unitMs: 1 },
  },
  {
    ...COMMON,
    name: 'opencode',
    title: 'opencode',
    giveUpMs: MINUTE,
    tables: [['mcp'], ['mcp', 'servers']],
    command: 'list',
    stdioType: 'local',
    env: 'environment',
    files: ({ home, cwd, env }) => {
      const folder = join(findConfigHome({ home, env }), 'opencode');
      const named = env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : [];
      return [...named, ...[folder, cwd, join(cwd, '.opencode')].flatMap(toOpencodeFiles)];
    },
    limit: { field: 'timeout', unitMs: 1 },
  },
  {
    ...COMMON,
    name: 'copilot',
    title: 'Copilot CLI',
    giveUpMs: 3 * MINUTE,
    stdioType: 'local',
    files: ({ home, env }) => [join(env.COPILOT_HOME ?? join(home, '.copilot'), 'mcp-config.json')],
    limit: { field: 'timeout', unitMs: 1 },
  },
  {
    ...COMMON,
    name: 'windsurf',
    title: 'Windsurf',
    giveUpMs: MINUTE,
    urls: ['serverUrl', 'url'],
    files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  },
  {
    ...COMMON,
    name: 'zed',
    title: 'Zed',
    giveUpMs: MINUTE,
    tables: [['context_servers']],
    files: (place) => [join(findZed(place), 'settings.json'), join(place.cwd, '.zed', 'settings.json')],
  },
];

/** Where programs with windows keep what belongs to a user. */
function findSettings({ home, platform, env }: ClientPlace): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming');
  return findConfigHome({ home, env });
}

function findZed({ home, platform, env }: ClientPlace): string {
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Zed');
  return join(platform === 'darwin' ? join(home, '.config') : findConfigHome({ home, env }), 'zed');
}

function findConfigHome({ home, env }: Pick<ClientPlace, 'home' | 'env'>): string {
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

function toOpencodeFiles(folder: string): string[] {
  return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
}
