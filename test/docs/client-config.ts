/** Reads the configuration of a client as that client does, and starts the server by it. */
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { expect } from 'vitest';
import type { Fence } from './fences.ts';
import type { Desk } from './open-desk.ts';
import { type Command, connect } from './plain-call.ts';

/** Where each client looks for its servers, by the file that the page names. */
const PLACES: Readonly<Record<string, string>> = {
  '.mcp.json': 'mcpServers',
  'claude_desktop_config.json': 'mcpServers',
  '.cursor/mcp.json': 'mcpServers',
  '.vscode/mcp.json': 'servers',
  '~/.codex/config.toml': 'mcp_servers',
  '~/.gemini/settings.json': 'mcpServers',
  'opencode.json': 'mcp',
  'settings.json': 'context_servers',
  '~/.copilot/mcp-config.json': 'mcpServers',
};

export const CLIENT_FILES = Object.keys(PLACES);

interface Entry {
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
}

/** The command that a client finds in its configuration. */
export function toCommand({ language, text, intro }: Fence, folder: string): Command & { readonly file: string } {
  const named = [...intro.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const file = CLIENT_FILES.find((name) => named.includes(name)) ?? '';
  const config = (language === 'toml' ? parseToml(text) : JSON.parse(text)) as Record<string, Record<string, Entry>>;
  const entry = config[PLACES[file] ?? '']?.reports;
  expect(entry, `${file}: ${text}`).toBeDefined();
  const [command = '', ...args] = [entry?.command ?? '', entry?.args ?? []].flat(2) as string[];
  return { file, command, args: args.map((arg) => arg.replace(/^\/path\/to\b/, folder)) };
}

const tried = new WeakMap<Desk, Set<string>>();

export async function startByConfig(fence: Fence, desk: Desk): Promise<void> {
  const { command, args } = toCommand(fence, desk.folder);
  const line = JSON.stringify([command, ...args]);
  const lines = tried.get(desk) ?? new Set();
  tried.set(desk, lines);
  // Nearly all clients start the same command, which tells nothing new a second time.
  if (lines.has(line)) return;
  const client = await connect({ command, args }, { ...desk, folder: join(desk.folder, '..') });
  const { tools } = await client.listTools();
  await client.close();
  expect(tools.map(({ name }) => name)).toContain('render_report');
  lines.add(line);
}
