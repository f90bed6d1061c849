import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from './run-cli.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const DEMO = [process.execPath, MAIN, 'demo'];

async function openDesk() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-call-'));
  onTestFinished(async () => {
    await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 30_000 });
  });
  return { dir, run: (...argv: string[]) => runCli(argv, { HOLDFAST_DIR: dir }, dir) };
}

it('[HOST-43] calls a tool of a server that is a command, or is named in .mcp.json', async () => {
  const desk = await openDesk();
  const direct = await desk.run('call', 'greet', '{"name":"Ada"}', '--', ...DEMO);
  expect(direct).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' });
  const [command, ...args] = DEMO;
  const mcpServers = { demo: { command, args: [...args], type: 'stdio' } };
  await writeFile(join(desk.dir, '.mcp.json'), JSON.stringify({ mcpServers }));
  const named = await desk.run('call', 'slow_compute', '{"seconds":2,"label":"x"}', '--server', 'demo');
  expect(named).toMatchObject({ code: 0, stdout: 'x: worked for 2 s\n' });
  const failed = await desk.run('call', 'failing_job', '--server', 'demo', '--json');
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({ kind: 'result', isError: true });
  const unknown = await desk.run('call', 'greet', '--server', 'nobody');
  expect(unknown.stderr).toContain('known are demo');
});

it('[HOST-44] leaves a detached call pending, lists it, and gives its result once', async () => {
  const desk = await openDesk();
  const { stdout } = await desk.run('call', 'slow_compute', '{"seconds":3,"label":"y"}', '--detach', '--', ...DEMO);
  const listed = await desk.run('calls', 'list');
  expect(listed.stdout).toContain(`${stdout.trim()}  slow_compute  pending (tasks-2026)`);
  expect(await desk.run('calls', 'resume')).toMatchObject({ code: 0, stdout: 'y: worked for 3 s\n' });
  expect((await desk.run('calls', 'list', '--json')).stdout).toBe('');
  const again = await desk.run('calls', 'wait', stdout.trim());
  expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('its outcome has been taken') });
});

it('[HOST-45] cancels a pending call and its work', async () => {
  const desk = await openDesk();
  const { stdout } = await desk.run('call', 'slow_compute', '{"seconds":300,"label":"z"}', '--detach', '--', ...DEMO);
  const cancelled = await desk.run('calls', 'cancel', stdout.trim());
  expect(cancelled).toMatchObject({ code: 0, stdout: `${stdout.trim()} ended as cancelled\n` });
  const tasks = await desk.run('tasks', 'list', '--name', 'holdfast-demo', '--status', 'cancelled', '--json');
  expect(tasks.stdout).toContain('slow_compute');
});

it('[HOST-46] says what is legal when the server or the arguments are missing or wrong', async () => {
  const desk = await openDesk();
  const nowhere = await desk.run('call', 'greet');
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--server NAME, --url URL, or -- COMMAND'),
  });
  const wrong = await desk.run('call', 'greet', '[1]', '--', ...DEMO);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('legal is a JSON object') });
});
