/** Configuration files as the clients and their users write them, with what else stands in them. */
import type { ClientName } from '../../../src/gateway/clients/client-names.ts';

export interface RecordedConfig {
  readonly client: ClientName;
  /** Below the user's home. */
  readonly file: string;
  readonly text: string;
  /** What each server is started with behind the gateway, after the gateway's own words. */
  readonly servers: Readonly<Record<string, readonly string[]>>;
}

export const recordedConfigs: readonly RecordedConfig[] = [
  {
    client: 'claude-code',
    file: '.claude.json',
    text: `{
  "numStartups": 41,
  "mcpServers": {
    "files": {
      "type": "stdio",
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/home/me"
      ],
      "env": {}
    }
  },
  "projects": {
    "/home/me/site": {
      "allowedTools": [],
      "mcpServers": {
        "crawl": { "type": "stdio", "command": "./crawl", "args": [], "env": { "TOKEN": "t" } }
      }
    }
  }
}
`,
    servers: { files: ['npx', '-y', '@modelcontextprotocol/server-filesystem', '/home/me'], crawl: ['./crawl'] },
  },
  {
    client: 'claude-desktop',
    file: '.config/Claude/claude_desktop_config.json',
    text: '{"mcpServers":{"build":{"command":"C:\\\\tools\\\\build.exe"},"odd \\"name\\"":{"command":"x","args":["a b"]}},"theme":"dark"}',
    servers: { build: ['C:\\tools\\build.exe'], 'odd "name"': ['x', 'a b'] },
  },
  {
    client: 'codex',
    file: '.codex/config.toml',
    text: `model = "o9"  # the large one

# everything slow
[mcp_servers.slow]
command = "node" # ours
args = [
  "slow.mjs",  # the entry
  "--fast",
]
tool_timeout_sec = 600.5

[mcp_servers.slow.env]
SLOW_LOG = "/var/log/slow"

[mcp_servers."with space"]
command = 'uvx'

[history]
persistence = "none"
`,
    servers: { slow: ['node', 'slow.mjs', '--fast'], 'with space': ['uvx'] },
  },
  {
    client: 'cursor',
    file: '.cursor/mcp.json',
    text: `{
\t"mcpServers": {
\t\t"scan": {
\t\t\t"command": "python",
\t\t\t"args": ["-m", "scan"],
\t\t\t"envFile": "\${workspaceFolder}/.env"
\t\t}
\t}
}
`.replaceAll('\n', '\r\n'),
    servers: { scan: ['python', '-m', 'scan'] },
  },
  {
    client: 'vscode',
    file: '.config/Code/User/mcp.json',
    text: `{
  // asked for once
  "inputs": [{ "id": "key", "type": "promptString", "description": "Key", "password": true }],
  "servers": {
    /* long runs */
    "agent": {
      "type": "stdio",
      "command": "agent", // on PATH
      "args": [
        "serve", // always
        // "--debug",
      ],
      "env": { "KEY": "\${input:key}" },
    },
  },
}
`,
    servers: { agent: ['agent', 'serve'] },
  },
  {
    client: 'gemini',
    file: '.gemini/settings.json',
    text: `{
  "theme": "GitHub",
  "mcpServers": {
    "report": { "command": "report", "cwd": "./here", "timeout": 30000, "trust": false, "includeTools": ["render"] }
  }
}`,
    servers: { report: ['report'] },
  },
  {
    client: 'opencode',
    file: '.config/opencode/opencode.jsonc',
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "everything": {
      "type": "local",
      "command": ["npx", "-y", "@modelcontextprotocol/server-everything"], // all of it
      "environment": { "A": "b" },
      "enabled": true,
    },
  },
}
`,
    servers: { everything: ['npx', '-y', '@modelcontextprotocol/server-everything'] },
  },
  {
    client: 'copilot',
    file: '.copilot/mcp-config.json',
    text: `{
  "mcpServers": {
    "browser": { "type": "local", "command": "npx", "tools": ["*"], "args": ["@playwright/mcp@latest"] }
  }
}
`,
    servers: { browser: ['npx', '@playwright/mcp@latest'] },
  },
  {
    client: 'windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    text: `{
  "mcpServers": {
    "ollama": { "command": "py", "args": ["-m", "ollama"], "disabled": false, "env": {} }
  }
}
`,
    servers: { ollama: ['py', '-m', 'ollama'] },
  },
  {
    client: 'zed',
    file: '.config/zed/settings.json',
    text: `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    "new": { "source": "custom", "command": "uv", "args": ["run", "main.py"], "env": {} },
    // written long ago
    "old": { "command": { "path": "/usr/bin/old", "args": ["--stdio"], "env": {} }, "settings": {} }
  },
}
`,
    servers: { new: ['uv', 'run', 'main.py'], old: ['/usr/bin/old', '--stdio'] },
  },
];
