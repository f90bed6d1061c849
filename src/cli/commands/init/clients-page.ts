import { toShellWord } from '../../../text/shell-word.ts';
import { toLines } from './to-lines.ts';

export interface ClientsPageOptions {
  readonly name: string;
  /** The absolute path of the server's entry file. */
  readonly entry: string;
}

/** The README of a new server: how to run it, and how to configure clients for it. */
export function toClientsPage({ name, entry }: ClientsPageOptions): string {
  const words = { command: 'node', args: [entry] };
  const page = toLines(`
    # ${name}

    An MCP server with one slow tool, \`render_report\`. Its calls come back whatever happens: time-outs, restarts, \`kill -9\`.

    ~~~sh
    npm install
    npm test        # builds it, starts it and calls its tool
    npm run call    # calls the tool from the command line, with a bar
    npx holdfast tasks list
    ~~~

    The tool is in \`src/server.ts\`, its test in \`test/server.test.ts\`. Run \`npm run build\` after a change.

    ## Clients

    Claude Code finds the server in \`.mcp.json\` when it is started here. Anywhere else:

    ~~~sh
    claude mcp add ${name} -- node ${toShellWord(entry)}
    ~~~
  `);
  return [page, ...SNIPPETS.map((snippet) => toSection(snippet, { name, words }))].join('\n').replaceAll('~~~', '```');
}

interface Words {
  readonly command: string;
  readonly args: readonly string[];
}

interface Snippet {
  readonly clients: string;
  readonly language: 'json' | 'toml';
  readonly write: (name: string, words: Words) => unknown;
}

const SNIPPETS: readonly Snippet[] = [
  {
    clients:
      'Claude Desktop (`claude_desktop_config.json`), Cursor (`.cursor/mcp.json`), Gemini CLI (`.gemini/settings.json`)',
    language: 'json',
    write: (name, words) => ({ mcpServers: { [name]: words } }),
  },
  {
    clients: 'VS Code (`.vscode/mcp.json`)',
    language: 'json',
    write: (name, words) => ({ servers: { [name]: { type: 'stdio', ...words } } }),
  },
  {
    clients: 'Copilot CLI (`~/.copilot/mcp-config.json`)',
    language: 'json',
    write: (name, words) => ({ mcpServers: { [name]: { type: 'local', ...words, tools: ['*'] } } }),
  },
  {
    clients: 'Codex (`~/.codex/config.toml`)',
    language: 'toml',
    write: (name, { command, args }) =>
      `[mcp_servers.${JSON.stringify(name)}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
  },
  {
    clients: 'opencode (`opencode.json`)',
    language: 'json',
    write: (name, { command, args }) => ({ mcp: { [name]: { type: 'local', command: [command, ...args] } } }),
  },
  {
    clients: 'Zed (`settings.json`)',
    language: 'json',
    write: (name, words) => ({ context_servers: { [name]: words } }),
  },
];

function toSection({ clients, language, write }: Snippet, { name, words }: { name: string; words: Words }): string {
  const text = write(name, words);
  const code = typeof text === 'string' ? text : JSON.stringify(text, undefined, 2);
  return `${clients}:\n\n~~~${language}\n${code}\n~~~\n`;
}
