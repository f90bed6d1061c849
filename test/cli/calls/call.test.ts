import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from 'holdfast/testing';
import { createPromptLog } from 'holdfast/ui-prompts';
import { expect, it, onTestFinished } from 'vitest';
import { builtPath, programPath } from '../../programs/program-path.js';
import { type AtEnd, shareRig } from '../../shared-rig.ts';
import { runCli, startCli, withMark } from '../run-cli.ts';

const MAIN = builtPath('cli/main.js');
const DEMO = [process.execPath, MAIN, 'demo', '--conformance'];

async function openDesk(atEnd: AtEnd = onTestFinished) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-call-'));
  atEnd(async () => {
    await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
  });
  return { dir, run: (...argv: string[]) => runCli(withMark(argv), { HOLDFAST_DIR: dir }, dir) };
}

// No test leaves a call pending there, and the worker of the demo stays from one to the next.
const getDesk = shareRig(openDesk);

it('[HOST-43] [CLI-22] calls a tool of a server that is a command, or is named in holdfast.json or .mcp.json', async () => {
  const desk = await openDesk();
  const direct = await desk.run('call', 'greet', '{"name":"Ada"}', '--', ...DEMO);
  expect(direct).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' });
  const [command, ...args] = DEMO;
  const mcpServers = { demo: { command, args: [...args], type: 'stdio' } };
  await writeFile(join(desk.dir, '.mcp.json'), JSON.stringify({ mcpServers }));
  const named = await desk.run('call', 'slow_compute', '{"seconds":2,"label":"x"}', '--server', 'demo', '--trust');
  expect(named).toMatchObject({ code: 0, stdout: 'x: worked for 2 s\n' });
  // The nearest holdfast.json comes before .mcp.json beside it.
  const broken = { demo: { command: process.execPath, args: ['--no-such-option'] } };
  await writeFile(join(desk.dir, '.mcp.json'), JSON.stringify({ mcpServers: { ...broken, other: broken.demo } }));
  await writeFile(join(desk.dir, 'holdfast.json'), JSON.stringify({ mcpServers }));
  const failed = await desk.run('call', 'failing_job', '--server', 'demo', '--trust', '--json');
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({ kind: 'result', isError: true });
  const unknown = await desk.run('call', 'greet', '--server', 'nobody');
  expect(unknown.stderr).toContain('known are demo, demo, other');
});

it('[HOST-44] [CLI-19] [CLI-20] leaves a detached call pending, lists it, and gives its result once', async () => {
  const desk = getDesk();
  const { stdout } = await desk.run('call', 'slow_compute', '{"seconds":3,"label":"y"}', '--detach', '--', ...DEMO);
  const listed = await desk.run('calls', 'list');
  expect(listed.stdout).toContain(`${stdout.trim().slice(10, 16)}  slow_compute  pending (tasks-2026)`);
  const shown = await desk.run('calls', 'show', stdout.trim());
  expect(shown.stdout).toMatch(/^Tool {8}slow_compute\nArguments {3}\{"seconds":3,"label":"y"\}\nStatus {6}pending/m);
  expect(shown.stdout).toMatch(/^Dialect {5}tasks-2026\nHandle {6}\{.*\}\nCreated {5}/m);
  expect(await desk.run('calls', 'resume')).toMatchObject({ code: 0, stdout: 'y: worked for 3 s\n' });
  expect((await desk.run('calls', 'list', '--json')).stdout).toBe('');
  const record = JSON.parse((await desk.run('calls', 'show', stdout.trim(), '--json')).stdout);
  expect(record).toMatchObject({ tool: 'slow_compute', outcome: { kind: 'result' }, answers: [] });
  expect(record.ackedAt).toBeGreaterThan(0);
  const again = await desk.run('calls', 'wait', stdout.trim());
  expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('its outcome has been taken') });
});

it('[HOST-45] cancels a pending call and its work', async () => {
  const desk = getDesk();
  const { stdout } = await desk.run('call', 'slow_compute', '{"seconds":300,"label":"z"}', '--detach', '--', ...DEMO);
  const cancelled = await desk.run('calls', 'cancel', stdout.trim());
  expect(cancelled).toMatchObject({ code: 0, stdout: `${stdout.trim()} ended as cancelled\n` });
  const tasks = await desk.run('tasks', 'list', '--name', 'holdfast-demo', '--status', 'cancelled', '--json');
  expect(tasks.stdout).toContain('slow_compute');
});

it('[HOST-46] says what is expected when the server or the arguments are missing or wrong', async () => {
  const desk = await openDesk();
  const nowhere = await desk.run('call', 'greet');
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--server NAME, --url URL, --plugin DIR, or -- COMMAND'),
  });
  const wrong = await desk.run('call', 'greet', '[1]', '--', ...DEMO);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('expected a JSON object') });
});

it('[CLI-21] without a terminal Ctrl-C cancels the work and says so by its exit code', async () => {
  const desk = getDesk();
  const child = startCli(['call', 'sleep', '{"ms":300000}', '--', ...DEMO], { HOLDFAST_DIR: desk.dir }, desk.dir);
  const remarks: string[] = [];
  child.stderr.on('data', (chunk) => remarks.push(String(chunk)));
  const code = new Promise((resolve) => child.once('exit', resolve));
  await until(() => remarks.join('').includes('working'), { what: 'the call', timeoutMs: 60_000 });
  child.kill('SIGINT');
  expect(await code).toBe(130);
  expect(remarks.join('')).toContain('holdfast: cancelled: interrupted');
});

it('[CLI-18] calls a tool of a ChatOS plugin, leaves it, and finds its result later', async () => {
  const desk = await openDesk();
  const pluginDir = join(desk.dir, 'plugin');
  await mkdir(pluginDir);
  const app = pathToFileURL(programPath('host-ui-app.js')).href;
  await writeFile(
    join(pluginDir, 'server.mjs'),
    `process.argv[2] = ${JSON.stringify(desk.dir)}; await import('${app}');`,
  );
  const mcp = { entry: 'server.mjs', callMeta: { asyncTask: { tools: ['app_run'] } } };
  await writeFile(join(pluginDir, 'plugin.json'), JSON.stringify({ id: 'p', apps: [{ id: 'a', ai: { mcp } }] }));
  const { stdout, stderr } = await desk.run('call', 'App_Run', '{"gate":"g"}', '--plugin', 'plugin', '--detach');
  const callId = stdout.trim();
  expect(stderr).toBe('');
  expect(await readFile(join(desk.dir, 'runs.txt'), 'utf8')).toContain('ran g with gate');
  const why = await desk.run('prompts', 'explain', callId, '--json');
  const path = join(desk.dir, 'holdfast', 'calls', 'ui-prompts.jsonl');
  expect([why.code, JSON.parse(why.stdout)]).toEqual([66, expect.objectContaining({ reason: 'no-log', path })]);
  await createPromptLog({ path }).publishResult({ requestId: callId, text: '# found' });
  expect(await desk.run('calls', 'wait', callId)).toMatchObject({ code: 0, stdout: '# found\n' });
  const wrong = await desk.run('call', 'greet', '--app', 'a', '--', 'true');
  expect(wrong).toMatchObject({ code: 2, stderr: 'holdfast: --app names an app of --plugin DIR\n' });
});
