/** `holdfast sandbox` and `holdfast dashboard` as commands: ports, servers that fail, stores that are none. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { builtPath, programPath } from '../programs/program-path.js';
import { clearSandbox, startSandbox } from './open-sandbox.ts';

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-sandbox-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));
  return folder;
}

/** A port that is taken until the test is over. */
async function takePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('holdfast sandbox', () => {
  it('[SAND-140] takes the next port when its own is taken, and shows why a server did not start', async () => {
    const taken = await takePort();
    const folder = await openFolder();
    const config = join(folder, 'holdfast.json');
    const dies = { command: process.execPath, args: [programPath('unruly-server.js'), 'dies'] };
    await writeFile(config, JSON.stringify({ mcpServers: { dies } }));
    const sandbox = await startSandbox(['--config', config], { port: taken });
    onTestFinished(() => clearSandbox(sandbox));
    expect(sandbox.port).toBeGreaterThan(taken);
    const { servers } = await sandbox.get<{ servers: { name: string; state: string; problem: string }[] }>('servers');
    expect(servers).toMatchObject([{ name: 'dies', state: 'failed', problem: expect.stringContaining('dies') }]);
    const refused = await sandbox.post<{ error: { code: string } }>('calls', { server: 'dies', tool: 'x' });
    expect(refused.error.code).toBe('CONNECT_FAILED');
    const mode = (await stat(join(sandbox.directory, 'dashboard.token'))).mode & 0o777;
    expect(mode).toBe(0o600);
  });

  it('[SAND-141] a call goes on while the sandbox is restarted, and the next one tells of it', async () => {
    const first = await startSandbox();
    const { call } = await first.post<{ call: { callId: string } }>('calls', {
      server: 'demo',
      tool: 'sleep',
      args: { ms: 2000, note: 'slept through it' },
    });
    const read = async (from: typeof first) =>
      (await from.get<{ call: { state: string; taskId?: string; outcome?: unknown } }>(`calls/${call.callId}`)).call;
    await until(async () => (await read(first)).taskId, { what: 'its task', timeoutMs: 60_000 });
    expect(await first.stop()).toBe(0);
    const second = await startSandbox([], { directory: first.directory });
    onTestFinished(() => clearSandbox(second));
    const ended = await until(
      async () => {
        const now = await read(second);
        return now.state === 'ended' && now;
      },
      { what: 'the outcome', timeoutMs: 90_000 },
    );
    expect(JSON.stringify(ended)).toContain('slept through it');
    expect(second.token).toBe(first.token);
  });

  it('[SAND-142] names what is wrong with its options', async () => {
    const folder = await openFolder();
    const env = { HOLDFAST_DIR: folder };
    const both = await runCli(['sandbox', '--store', folder, '--name', 'x'], env);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--store or --name, not both') });
    const plugin = await runCli(['sandbox', '--plugin-dir', folder], env);
    expect(plugin).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected a directory with a plugin.json'),
    });
    const port = await runCli(['sandbox', '--port', '99999'], env);
    expect(port).toMatchObject({ code: 2, stderr: expect.stringContaining('65535') });
    await writeFile(join(folder, 'tasks.db'), 'no database at all, but long enough to be looked at');
    const corrupt = await runCli(['sandbox', '--store', folder, '--port', '0'], env);
    expect(corrupt).toMatchObject({ code: 65, stderr: expect.stringMatching(/database|store/) });
  });
});

describe('holdfast dashboard', () => {
  it('[SAND-143] shows a store that is there, to those with the token, and breaks nothing on request', async () => {
    const folder = await openFolder();
    const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
    await store.close();
    const child = spawn(
      process.execPath,
      [builtPath('cli/main.js'), 'dashboard', '--store', folder, '--port', '0', '--json'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      out += part;
    });
    await until(() => out.includes('\n'), { what: 'the address', timeoutMs: 60_000 });
    const { port, token } = JSON.parse(out) as { port: number; token: string };
    const ask = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
    const bearer = { authorization: `Bearer ${token}` };
    expect((await ask('/api/tasks', {})).status).toBe(401);
    expect(await (await ask('/api/tasks', bearer)).json()).toMatchObject({ tasks: [] });
    expect(await (await ask('/api/state', bearer)).json()).toMatchObject({ mode: 'dashboard' });
    const fault = { method: 'POST', body: '{"kind":"kill-worker"}' };
    const headers = { ...bearer, 'content-type': 'application/json' };
    expect((await ask('/api/faults', headers, fault)).status).toBe(404);
    expect((await ask('/api/calls', headers, fault)).status).toBe(404);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('[SAND-144] makes no store of a mistyped path', async () => {
    const folder = await openFolder();
    const missing = await runCli(['dashboard', '--store', join(folder, 'none'), '--port', '0']);
    expect(missing.code).toBe(66);
    expect((await runCli(['dashboard'])).stderr).toContain('which store?');
  });
});
