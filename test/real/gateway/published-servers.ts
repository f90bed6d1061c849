/** Published servers that tests put behind a gateway, each with the way it is started. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchDebianPackage } from '../../../scripts/fetched/debian-package.mjs';
import { fetchTool } from '../../../scripts/fetched/fetch-tool.mjs';

interface PublishedServer {
  readonly name: string;
  readonly version: string;
  readonly overrides?: Readonly<Record<string, string>>;
  /** Below its folder. */
  readonly script: string;
}

export const EVERYTHING: PublishedServer = {
  name: '@modelcontextprotocol/server-everything',
  version: '2026.8.31',
  script: 'dist/index.js',
};
export const COMMANDS: PublishedServer = { name: 'mcp-server-commands', version: '0.5.0', script: 'build/index.js' };
export const POSTGRES: PublishedServer = {
  name: '@modelcontextprotocol/server-postgres',
  version: '0.6.2',
  script: 'dist/index.js',
};
export const DESKTOP_COMMANDER: PublishedServer = {
  name: '@wonderwhy-er/desktop-commander',
  version: '0.2.52',
  // It depends on a version of this that is not published.
  overrides: { 'typedarray.prototype.slice': '1.0.5' },
  script: 'dist/index.js',
};
const PLAYWRIGHT: PublishedServer = { name: '@playwright/mcp', version: '0.0.83', script: 'cli.js' };

/** The command that starts it. */
export async function toCommand(server: PublishedServer, ...args: string[]): Promise<string[]> {
  const folder = await fetchTool(server);
  return [process.execPath, join(folder, 'node_modules', server.name, server.script), ...args];
}

/** Chromium of Debian; nothing, told on stderr, where it cannot be had. */
export function fetchChromium(): Promise<string | undefined> {
  const path = '/usr/bin/chromium';
  return fetchDebianPackage('chromium', () => (existsSync(path) ? path : undefined));
}

/** How `@playwright/mcp` is started with this browser. */
export function toPlaywright(chromium: string, dir: string): Promise<string[]> {
  const own = ['--executable-path', chromium, '--output-dir', join(dir, 'pages')];
  return toCommand(PLAYWRIGHT, '--headless', '--no-sandbox', '--isolated', ...own);
}
