/** The clients whose servers can be put behind the gateway: where their config files are, and how these declare a server. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ClientName } from './client-names.ts';
import type { ConfigSyntax } from './config-syntax.ts';
import { jsonSyntax } from './json-syntax.ts';
import { tomlSyntax } from './toml-syntax.ts';

/** The configuration format of one client. */
export interface ClientConfig {
  readonly name: ClientName;
  readonly title: string;
  /** The client's default timeout for a call, in ms, unless its file sets another; `null` for no timeout. */
  readonly giveUpMs: number | null;
  readonly syntax: ConfigSyntax;
  /** Paths of the objects that hold servers in a file; `*` matches any name. */
  readonly tables: readonly (readonly string[])[];
  /** Its config files, the user's first; some of them may not exist. */
  files(place: ClientPlace): readonly string[];
  /** Whether a program is written as a command and a list of arguments (`apart`), or as one list. */
  readonly command: 'apart' | 'list';
  /** The value of `type` for a stdio program, in clients that have that field. */
  readonly stdioType: string;
  /** Fields that hold a streamable HTTP URL. */
  readonly urls: readonly string[];
  /** The field for HTTP headers; `env` is the one for a program's environment. */
  readonly headers: string;
  readonly env: string;
  /** The field that sets the timeout of a call, and its unit in milliseconds. */
  readonly limit?: { readonly field: string; readonly unitMs: number };
}

/** The user and project whose config files are used. */
export interface ClientPlace {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** The place of the user who runs this program. */
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

/** Where desktop programs keep a user's settings. */
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
