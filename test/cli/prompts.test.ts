import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { createPromptLog, explainWait, LEGACY_PREFIX } from 'holdfast/ui-prompts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startCli } from './run-cli.ts';
import { runHere } from './run-here.ts';
import { CTRL_C, openFakeTerminal } from './terminal/fake-terminal.ts';

/** A state directory with a log of prompts. */
async function openDesk() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-prompts-cli-'));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(dir, { recursive: true, force: true });
  });
  const path = join(dir, 'ui-prompts.jsonl');
  vi.stubEnv('HOLDFAST_DIR', join(dir, 'own'));
  vi.stubEnv('CHATOS_STATE_DIR', '');
  const run = (...argv: string[]) => runHere(['prompts', ...argv]);
  const cli = (command: string, ...args: string[]) => run(command, ...args, '--file', path);
  const responses = async () =>
    (await readFile(path, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('"response"'))
      .map((line) => JSON.parse(line).response as unknown);
  return { dir, path, run, cli, responses, log: createPromptLog({ path }) };
}

const KV = {
  kind: 'kv',
  title: 'Login',
  fields: [
    { key: 'user', required: true },
    { key: 'pass', secret: true },
  ],
};

describe('prompts list', () => {
  it('[CLI-12] shows pending questions first, then results, and with --all what was answered', async () => {
    const { log, path, cli } = await openDesk();
    await log.publishResult({ requestId: 'task_1', text: '# done\nwell' });
    await log.request({ kind: 'choice', title: 'Colour', options: [{ value: 'red' }] }, { requestId: 'q1' });
    await log.request(KV, { requestId: 'q2' });
    await log.respond('q1', { status: 'ok', selection: 'red' });
    await appendFile(path, 'garbage\n');
    const { code, stdout, stderr } = await cli('list');
    expect([code, stderr]).toEqual([0, '1 lines of the log are no entries\n']);
    expect(stdout.replace(/^\S+ +/gm, '')).toBe(
      'STATE    KIND    REQUEST  TEXT\npending  kv      q2       Login\npending  result  task_1   # done well\n',
    );
    const all = await cli('list', '--all', '--json');
    expect(all.stderr).toBe('{"skippedLines":1}\n');
    const lines = all.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.map(({ requestId, state }) => [requestId, state])).toEqual([
      ['q2', 'pending'],
      ['task_1', 'pending'],
      ['q1', 'ok'],
    ]);
  });
});

describe('prompts answer', () => {
  it('[CLI-13] writes one response, and refuses a second one', async () => {
    const { log, cli, responses } = await openDesk();
    await log.request({ kind: 'choice', options: [{ value: 'red' }, { value: 'blue' }] }, { requestId: 'colour-1' });
    const wrong = await cli('answer', 'colour-1', '"pink"');
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('expected "red", "blue"') });
    expect(await cli('answer', 'colour', '"red"', '--json')).toMatchObject({
      code: 0,
      stdout: '{"requestId":"colour-1","status":"ok"}\n',
    });
    const again = await cli('answer', 'colour-1', '"blue"');
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('pending: none is') });
    expect(await responses()).toEqual([{ status: 'ok', selection: 'red' }]);
  });

  it('[CLI-14] masks a secret in the log and says so', async () => {
    const { log, path, cli, responses } = await openDesk();
    await log.request(KV, { requestId: 'login' });
    const missing = await cli('answer', 'login');
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`'{"user":"…","pass":"…"}', or --cancel`),
    });
    const garbled = await cli('answer', 'login', '{"pass":"s3cret"');
    expect(garbled.code).toBe(2);
    const { code, stderr } = await cli('answer', 'login', '{"user":"ada","pass":"s3cret"}');
    expect([code, stderr]).toEqual([0, 'pass: written as ******; a secret cannot travel through the log\n']);
    expect(await responses()).toEqual([{ status: 'ok', values: { user: 'ada', pass: '******' } }]);
    expect((await readFile(path, 'utf8')) + garbled.stderr).not.toContain('s3cret');
  });

  it('[CLI-13] cancels, and needs no JSON for a result', async () => {
    const { log, cli, responses } = await openDesk();
    await log.request(KV, { requestId: 'login' });
    await log.publishResult({ requestId: 'task_1', text: 'done' });
    expect((await cli('answer', 'login', '--cancel')).stdout).toBe('answered login: canceled\n');
    expect((await cli('answer', 'task_1')).stdout).toBe('answered task_1: ok\n');
    expect(await responses()).toEqual([{ status: 'canceled' }, { status: 'ok' }]);
  });
});

describe('prompts answer, at a terminal', () => {
  it('[CLI-13] [CLI-14] asks field by field, and does not show a secret', async () => {
    const { log, path, responses } = await openDesk();
    await log.request(KV, { requestId: 'login' });
    const fake = openFakeTerminal();
    const done = runHere(['prompts', 'answer', 'login', '--file', path], fake.keyboard);
    await fake.shows('user: ');
    fake.type('\r');
    await until(() => fake.screen.split('user: ').length > 2, { what: 'the question again: it is required' });
    fake.type('ada\r');
    await fake.shows('pass (not shown): ');
    fake.type('s3cret\r');
    expect(await done).toMatchObject({ code: 0, stdout: 'answered login: ok\n' });
    expect(fake.screen).not.toContain('s3cret');
    expect(await responses()).toEqual([{ status: 'ok', values: { user: 'ada', pass: '******' } }]);
  });

  it('[CLI-13] takes options by their number, and Ctrl-C for a cancel', async () => {
    const { log, path, responses } = await openDesk();
    const options = [{ value: 'red' }, { value: 'blue' }];
    for (const requestId of ['q1', 'q2']) await log.request({ kind: 'choice', options }, { requestId });
    const fake = openFakeTerminal();
    const done = runHere(['prompts', 'answer', 'q1', '--file', path], fake.keyboard);
    await fake.shows('Which? (1 to 2) ');
    fake.type('2\r');
    expect((await done).code).toBe(0);
    const other = openFakeTerminal();
    const turned = runHere(['prompts', 'answer', 'q2', '--file', path], other.keyboard);
    await other.shows('Which? (1 to 2) ');
    other.type(CTRL_C);
    expect((await turned).stdout).toBe('answered q2: canceled\n');
    expect(await responses()).toEqual([{ status: 'ok', selection: 'blue' }, { status: 'canceled' }]);
  });
});

describe('prompts tail', () => {
  it('[CLI-15] shows the last entries, and what comes until it is interrupted', async () => {
    const { log, path } = await openDesk();
    for (const id of ['a', 'b', 'c']) await log.publishResult({ requestId: id, text: `text of ${id}` });
    const child = startCli(['prompts', 'tail', '-f', '-n', '2', '--json', '--file', path]);
    const out: string[] = [];
    const remarks: string[] = [];
    child.stdout.on('data', (chunk) => out.push(String(chunk)));
    child.stderr.on('data', (chunk) => remarks.push(String(chunk)));
    const ids = () => [...out.join('').matchAll(/"requestId":"(\w)".*\n/g)].map(([, id]) => id);
    await until(() => ids().join() === 'b,c', { what: 'the last entries', timeoutMs: 60_000 });
    await appendFile(path, 'garbage\n');
    await log.request(KV, { requestId: 'd' });
    await until(() => ids().join() === 'b,c,d', { what: 'the new entry', timeoutMs: 60_000 });
    await until(() => remarks.join('') === '{"skippedLines":1}\n', { what: 'the garbage', timeoutMs: 60_000 });
    const code = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await code).toBe(130);
  });

  it('[CLI-14] masks secrets that others wrote in clear', async () => {
    const { log, path, cli } = await openDesk();
    await log.request(KV, { requestId: 'login' });
    const entry = { ts: '2030-01-01T00:00:00.000Z', type: 'ui_prompt', action: 'response', requestId: 'login' };
    const response = { status: 'ok', values: { user: 'ada', pass: 's3cret' } };
    await appendFile(path, `${JSON.stringify({ ...entry, response })}\n`);
    const { stdout } = await cli('tail');
    expect(stdout).toContain('response  ok                   login  {"values":{"user":"ada","pass":"******"}}\n');
    expect((await cli('list', '--all', '--json')).stdout).not.toContain('s3cret');
  });
});

describe('prompts explain', () => {
  it('[CLI-16] says in the words of the host why a result is not found', async () => {
    const { log, path, cli, run } = await openDesk();
    await log.publishResult({ requestId: 'task_1', text: 'done' });
    const why = await explainWait(path, { taskId: 'task_2', requestIdPrefix: LEGACY_PREFIX });
    expect(await cli('explain', 'task_2')).toEqual({ code: 4, stdout: `nothing: ${why.message}\n`, stderr: '' });
    const found = await cli('explain', 'task_1', '--json');
    expect([found.code, JSON.parse(found.stdout)]).toEqual([
      0,
      expect.objectContaining({ taskId: 'task_1', path, reason: 'found', skippedLines: 0 }),
    ]);
    expect(await run('explain', 'task_1')).toMatchObject({ code: 66, stdout: expect.stringMatching(/^no-log: /) });
  });
});

describe('the log', () => {
  it('[CLI-17] is named by directory, environment or plugin, and a missing one says where it was looked for', async () => {
    const { dir, run, path } = await openDesk();
    const named = createPromptLog({ path: join(dir, 'app.jsonl') });
    await createPromptLog({ path }).publishResult({ requestId: 'plain', text: 'x' });
    await named.publishResult({ requestId: 'of-app', text: 'x' });
    expect((await run('list', '--state-dir', dir)).stdout).toContain('plain');
    vi.stubEnv('CHATOS_STATE_DIR', dir);
    expect((await run('list')).stdout).toContain('plain');
    vi.stubEnv('CHATOS_STATE_DIR', '');
    const pluginDir = join(dir, 'plugin');
    await mkdir(pluginDir);
    const mcp = { entry: 'server.mjs', callMeta: { asyncTask: { uiPromptFile: 'app.jsonl' } } };
    await writeFile(join(pluginDir, 'plugin.json'), JSON.stringify({ id: 'p', apps: [{ id: 'a', ai: { mcp } }] }));
    expect((await run('list', '--plugin', pluginDir, '--state-dir', dir)).stdout).toContain('of-app');
    const missing = await run('list');
    expect(missing).toMatchObject({ code: 66, stdout: '' });
    expect(missing.stderr).toContain(
      `no log of prompts at ${join(dir, 'own', 'holdfast', 'calls', 'ui-prompts.jsonl')}`,
    );
    expect(await run('list', '--file', path, '--state-dir', dir)).toMatchObject({ code: 2 });
    expect(await run('tail', '--lines', 'many', '--file', path)).toMatchObject({
      code: 2,
      stderr: 'holdfast: --lines is "many"; expected a whole number from 0 to 1000000\n',
    });
  });
});
