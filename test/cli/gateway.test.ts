/** `holdfast gateway`, as a user runs it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createTaskClient, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { readLines } from '../read-lines.ts';
import { runCli, startCli } from './run-cli.ts';

async function openPlace() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-cli-gateway-'));
  onTestFinished(() => rm(dir, { recursive: true, maxRetries: 50, retryDelay: 100 }));
  return { dir, env: { HOLDFAST_DIR: dir } };
}

/** What the store of a gateway says: a process for every look would cost more than all the rest. */
async function openView(dir: string, name: string) {
  const store = await openSqliteStore({ path: join(dir, 'holdfast', name, 'tasks.db') });
  onTestFinished(() => store.close());
  const tasks = createTaskClient(store);
  return {
    untilTask: (filter: { readonly tool: string; readonly status: 'working' | 'input_required' }) =>
      until(async () => (await tasks.list(filter)).tasks[0], { what: JSON.stringify(filter), timeoutMs: 60_000 }),
    untilStopped: (taskId: string) =>
      until(
        async () => {
          const { outcome } = await tasks.get(taskId);
          return outcome?.kind === 'cancelled' && outcome.stopped;
        },
        { what: 'how it was stopped', timeoutMs: 60_000 },
      ),
    untilIdle: () =>
      until(async () => (await store.workers.list()).every(({ state }) => state !== 'ready'), {
        what: 'the worker to end',
        timeoutMs: 60_000,
      }),
  };
}

describe('holdfast gateway', () => {
  it('[GATE-222] serves a command, keeps its calls, and shows them to another terminal', async () => {
    const { dir, env } = await openPlace();
    const child = startCli(
      ['gateway', '--name', 'shown', '--', process.execPath, programPath('handmade-server.js'), dir],
      env,
    );
    const lines: { id?: number; result?: { content?: unknown; instructions?: string } }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => void lines.push(JSON.parse(line)));
    child.stderr.resume();
    const answer = (id: number) => until(() => lines.find((line) => line.id === id), { timeoutMs: 60_000 });
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'a', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
    expect((await answer(1)).result?.instructions).toBe('Open gates with files.');
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'hold', arguments: { gate: 'a' } } });
    const view = await openView(dir, 'shown');
    await view.untilTask({ tool: 'hold', status: 'working' });
    const { stdout } = await runCli(['tasks', 'list', '--name', 'shown', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ tool: 'hold', status: 'working' });
    await writeFile(join(dir, 'open-a'), '');
    expect((await answer(2)).result?.content).toEqual([{ type: 'text', text: 'a is open' }]);
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    await view.untilIdle();
  });

  it('[GATE-228] lets another terminal follow, answer and cancel the calls of a gateway that runs', async () => {
    const { dir, env } = await openPlace();
    const args = ['gateway', '--name', 'led', '--', process.execPath, programPath('handmade-server.js'), dir];
    const child = startCli(args, env);
    const lines: { id?: number; result?: { content?: unknown } }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => void lines.push(JSON.parse(line)));
    child.stderr.resume();
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const capabilities = { elicitation: {} };
    const clientInfo = { name: 'a', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo } });
    send({ method: 'notifications/initialized' });
    await writeFile(join(dir, 'open-q'), '');
    send({ id: 2, method: 'tools/call', params: { name: 'ask', arguments: { gate: 'q' } } });
    const tasks = (...words: string[]) => runCli(['tasks', ...words, '--name', 'led'], env);
    await until(() => lines.find(({ id }) => id === 1), { timeoutMs: 60_000 });
    const view = await openView(dir, 'led');
    const find = async (tool: string, status: 'working' | 'input_required') => {
      await view.untilTask({ tool, status });
      const { stdout } = await tasks('list', '--tool', tool, '--status', status, '--json');
      return (JSON.parse(stdout.split('\n')[0] ?? '') as { taskId: string }).taskId;
    };
    const asked = await find('ask', 'input_required');
    expect((await tasks('show', asked)).stdout).toContain('Who is q?');
    const shown = JSON.parse((await tasks('show', asked, '--json')).stdout) as { questions: { key: string }[] };
    expect(await tasks('answer', asked, shown.questions[0]?.key ?? '', '{"name":"Eva"}')).toMatchObject({ code: 0 });
    const answered = await until(() => lines.find(({ id }) => id === 2), { timeoutMs: 60_000 });
    expect(answered.result?.content).toEqual([{ type: 'text', text: 'q is Eva' }]);
    expect((await tasks('tail', asked)).stdout).toContain('answered');
    send({ id: 3, method: 'tools/call', params: { name: 'hold', arguments: { gate: 'never' } } });
    const held = await find('hold', 'working');
    const notes = () => readLines(join(dir, 'runs.txt'));
    await until(() => notes().includes('hold never'), { timeoutMs: 60_000 });
    expect(await tasks('cancel', held)).toMatchObject({ code: 0 });
    await until(() => notes().includes('told notifications/cancelled'), { timeoutMs: 60_000 });
    await view.untilStopped(held);
    expect((await tasks('show', held)).stdout).toContain('its process served no other call');
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    await view.untilIdle();
  });

  it('[GATE-223] names the server that cannot be started, why, and what to do', async () => {
    const { env } = await openPlace();
    const program = programPath('unruly-server.js');
    const child = startCli(['gateway', '--', process.execPath, program, 'dies'], env);
    const done = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [said, told] = [text(child.stdout), text(child.stderr)];
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    expect(await done).toBe(69);
    const err = await told;
    expect(err).toContain('upstream unruly-server cannot be reached');
    expect(err).toContain('run it by itself to see what it says');
    // The client hears it too: most show nobody what a server writes to stderr.
    expect(JSON.parse(await said)).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('unruly-server') },
    });
  });

  it('[GATE-166] shows what a server says of its start before anybody could hear it', async () => {
    const { dir, env } = await openPlace();
    const program = `process.stderr.write('early words\\n'); import(${JSON.stringify(programPath('handmade-server.js'))})`;
    const child = startCli(['gateway', '--name', 'early', '--', process.execPath, '-e', program, 'handmade', dir], env);
    const told = text(child.stderr);
    const answered = new Promise((resolve) => child.stdout.once('data', resolve));
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await answered;
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    expect((await told).match(/early words/g)).toHaveLength(1);
  });

  it('[GATE-224] refuses a config that it does not understand, by file, field and what is expected', async () => {
    const { dir, env } = await openPlace();
    const config = join(dir, 'holdfast.json');
    const complain = async (content: object | string) => {
      await writeFile(config, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
      const { code, stderr } = await runCli(['gateway', '--config', config], env);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await complain('{')).toContain(`${config} cannot be read`);
    expect(await complain({ mcpServers: {}, inlineMS: 1 })).toMatch(
      /inlineMS is not known \(did you mean inlineMs\?\)/,
    );
    const entry = (more: object) => ({ mcpServers: { a: { command: 'node', ...more } } });
    expect(await complain(entry({ polcy: {} }))).toMatch(/mcpServers\.a\.polcy is not known \(did you mean policy\?\)/);
    expect(await complain(entry({ policy: { task: 'sometimes' } }))).toMatch(
      /upstream a: policy\.task is "sometimes"; expected 'auto'/,
    );
    expect(await complain(entry({ tools: { x: { retries: 3 } } }))).toMatch(
      /tools\.x\.retries is not known.* expected .*retry/,
    );
    expect(await complain({ mcpServers: {} })).toMatch(/upstreams/);
    const { code, stderr } = await runCli(['gateway'], env);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('-- COMMAND…, --url URL, --config FILE'),
    });
  });
});
