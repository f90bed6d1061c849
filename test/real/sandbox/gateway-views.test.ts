/** Views before a server that has none, asked for on the command line and in a config. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtPath, shippedProgramPath } from '../../programs/program-path.js';
import { postModern, readJson } from '../../server/open-http.ts';

const SHOWS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const SERVER = [process.execPath, shippedProgramPath('hostile-page-server.js')] as const;

/** The views of tools that a gateway with these arguments shows. */
async function listViews(toArgs: (folder: string) => readonly string[] | Promise<readonly string[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-views-'));
  const [before, after] = [['gateway', '--http', '0', '--no-auth'], await toArgs(folder)];
  const env = { ...process.env, HOLDFAST_DIR: folder };
  const child = spawn(process.execPath, [builtPath('cli/main.js'), ...before, ...after], { env, stdio: 'pipe' });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exit;
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
  const [url] = await until(() => /http:\/\/\S+\/mcp/.exec(said) ?? undefined, {
    what: 'its address',
    timeoutMs: 60_000,
  });
  const answer = await readJson(await postModern(url, { method: 'tools/list', capabilities: SHOWS }));
  const { tools } = answer.result as { tools: { name: string; _meta?: { ui?: { resourceUri?: string } } }[] };
  return Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta?.ui?.resourceUri]));
}

describe('a gateway', { timeout: 120_000 }, () => {
  it('[SAND-248] has views with --ui, with ui in its config, and none without', async () => {
    expect(await listViews(() => ['--ui', '--', ...SERVER])).toMatchObject({ attack: 'ui://holdfast/task' });
    expect(await listViews(() => ['--', ...SERVER])).toMatchObject({ attack: undefined });
    const inConfig = await listViews(async (folder) => {
      const [command, ...args] = SERVER;
      const file = join(folder, 'holdfast.json');
      await writeFile(file, JSON.stringify({ ui: true, mcpServers: { hostile: { command, args } } }));
      return ['--config', file];
    });
    expect(inConfig).toMatchObject({ attack: 'ui://holdfast/task' });
  });
});
