/** Names of the clients whose servers can be put behind the gateway. */
export const CLIENT_NAMES = [
  ...['claude-code', 'claude-desktop', 'codex', 'cursor', 'vscode'],
  ...['gemini', 'opencode', 'copilot', 'windsurf', 'zed'],
] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];
