/** A client that gives up after ten seconds, with a published server whose tool takes half a minute. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { fetchTool } from '../../../scripts/fetch-tool.mjs';
import { inRoot } from '../../../scripts/root.mjs';
import { runCli } from '../../cli/run-cli.ts';

const SERVERS = [
  {
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    script: ['dist', 'index.js'],
    call: { name: 'trigger-long-running-operation', arguments: { duration: 30, steps: 3 } },
    text: 'Long running operation completed. Duration: 30 seconds, Steps: 3.',
  },
  {
    name: 'mcp-server-commands',
    version: '0.5.0',
    script: ['build', 'index.js'],
    call: { name: 'run_command', arguments: { command: 'sleep 15; echo slept' } },
    text: 'slept',
  },
];

it.each(SERVERS)(
  '[GATE-230] $name: gets the result of a call that is longer than it waits, and the tool ran once',
  async (server) => {
    const folder = await fetchTool(server);
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-impatient-'));
    onTestFinished(async () => {
      await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
    });
    const script = join(folder, 'node_modules', server.name, ...server.script);
    const gateway = [inRoot('dist', 'cli', 'main.js'), 'gateway', '--name', 'patient', '--'];
    const env = { ...(process.env as Record<string, string>), HOLDFAST_DIR: dir };
    const args = [...gateway, process.execPath, script, 'stdio'];
    const client = new Client({ name: 'impatient', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
    onTestFinished(() => client.close());
    let gaveUp = 0;
    const result = await until(
      () =>
        client.callTool(server.call, undefined, { timeout: 10_000 }).catch(() => {
          gaveUp += 1;
          return undefined;
        }),
      { what: 'the result', timeoutMs: 120_000 },
    );
    expect(gaveUp).toBeGreaterThan(0);
    expect(JSON.stringify(result)).toContain(server.text);
    const { stdout } = await runCli(['tasks', 'list', '--name', 'patient', '--all', '--json'], { HOLDFAST_DIR: dir });
    expect(stdout.trim().split('\n')).toHaveLength(1);
  },
  180_000,
);
