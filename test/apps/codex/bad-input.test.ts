import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseCodexOptions } from '../../../src/apps/codex/codex-options.ts';
import { toOwnLogDirectory } from '../../../src/dialects/ui-prompts/log/own-log.ts';
import { runCli } from '../../cli/run-cli.ts';
import { type CodexRig, openCodex, untilQuiet } from './open-codex.ts';

let rig: CodexRig;

beforeAll(async () => {
  rig = await openCodex({ codex: { codexCommand: 'no-such-codex', stallMs: 500 } });
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

describe('a call that cannot be served', () => {
  it.each([
    ['no prompt', {}],
    ['an empty prompt', { prompt: '' }],
    ['a blank prompt', { prompt: ' \n\t' }],
  ])('[CODEX-70] with %s is −32602 `prompt is required`', async (_what, args) => {
    const { error } = await rig.call('codex_app_window_run', args, { workdir: rig.root });
    expect(error).toMatchObject({ code: -32602, message: 'prompt is required' });
  });

  it('[CODEX-70] with a prompt that is no text is −32602 and says what is expected', async () => {
    const { error } = await rig.call('codex_app_window_run', { prompt: 7 }, { workdir: rig.root });
    expect(error).toMatchObject({ code: -32602, message: 'prompt is required: expected a text' });
  });

  it('[CODEX-71] in a directory that does not exist, or is none, is −32602 and names it', async () => {
    await writeFile(join(rig.root, 'a-file'), '');
    for (const name of ['nowhere', 'a-file']) {
      const workdir = join(rig.root, name);
      const { error } = await rig.run('anything', workdir);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(workdir) });
    }
    expect((await rig.tasks.list({})).tasks).toEqual([]);
  });

  it('[CODEX-72] without a codex program fails with its name and the remedy', async () => {
    const { error } = await rig.run('anything', await rig.project('without'));
    expect(error).toMatchObject({ code: -32603, data: { code: 'COMMAND_NOT_FOUND' } });
    expect(error?.message).toMatch(/"no-such-codex": it was not found on PATH/);
    expect(error?.message).toMatch(/npm i -g @openai\/codex, or name its file with --codex PATH/);
  });

  it('[CODEX-73] places its data only inside the roots that the owner allows', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'holdfast-codex-elsewhere-'));
    onTestFinished(() => rm(elsewhere, { recursive: true }));
    const inside = join(rig.dir, 'inside');
    const make = (dataDir: string) =>
      rig.call('codex_app_create_window', { workingDirectory: rig.root }, { chatos: { uiApp: { dataDir } } });
    await make(elsewhere);
    await make(inside);
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await readdir(inside)).toEqual(['codex_app_state.v1.json']);
    expect((await rig.state()).windows.map(({ lastRunOptions }) => lastRunOptions)).toContain(null);
  });
});

describe('a run that does nothing', () => {
  it('[CODEX-13] is stopped after a while, though Codex repeats its errors all the time', async () => {
    const stalling = await openCodex({ codex: { stallMs: 500 } });
    onTestFinished(() => stalling[Symbol.asyncDispose]());
    const { error } = await stalling.run('retries!', await stalling.project('offline'));
    expect(error).toMatchObject({ data: { code: 'STALLED' }, message: expect.stringContaining('is there a network?') });
    // On a busy machine it may not even have begun; it is never begun again.
    expect(stalling.executions().length).toBeLessThanOrEqual(1);
  });
});

describe('a run that takes too long', () => {
  it('[CODEX-14] is stopped, and ends with a prompt as every other', async () => {
    const hasty = await openCodex({ codex: { maxRunMs: 1000 } });
    onTestFinished(() => hasty[Symbol.asyncDispose]());
    const { error } = await hasty.run('hangs!', await hasty.project('slow'));
    expect(error).toMatchObject({ data: { code: 'TIMED_OUT' } });
    const { runs, mcpTasks } = await untilQuiet(hasty);
    expect(runs).toMatchObject([{ status: 'failed', error: { message: error?.message } }]);
    expect(mcpTasks).toMatchObject([{ status: 'failed', resultText: error?.message }]);
    const prompts = (await readFile(join(toOwnLogDirectory(hasty.dir, 'local'), 'ui-prompts.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n');
    expect(prompts.map((line) => JSON.parse(line).prompt.markdown)).toEqual([error?.message]);
  });
});

describe('options', () => {
  it('[CODEX-74] of the app are checked by name, and say what is expected', () => {
    const expected = (options: object) => () => parseCodexOptions(options);
    expect(expected({ sandboxMode: 'none' })).toThrow(
      'sandboxMode is "none"; expected read-only, workspace-write, danger-full-access',
    );
    expect(expected({ sandbox: 'read-only' })).toThrow(
      'sandbox is not known (did you mean sandboxMode?); expected codexCommand, sandboxMode',
    );
    expect(expected({ maxRunMs: 0 })).toThrow('maxRunMs is 0; expected a whole number above 0');
    expect(expected({ networkAccessEnabled: 'yes' })).toThrow('expected true or false, or null');
    expect(expected({ additionalDirectories: 'x' })).toThrow('expected a list of absolute paths');
    expect(parseCodexOptions({})).toMatchObject({
      sandboxMode: 'workspace-write',
      approvalPolicy: 'never',
      model: null,
    });
  });

  it('[CODEX-74] of the command line are checked before anything is served', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-codex-cli-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const broken = join(dir, 'broken.json');
    await writeFile(broken, '{"sandboxMode": "everything"}');
    const run = (...args: string[]) => runCli(['codex', ...args], { HOLDFAST_DIR: dir });
    const [sandbox, missing, wrong, model] = await Promise.all([
      run('--sandbox', 'everything'),
      run('--config', join(dir, 'missing.json')),
      run('--config', broken),
      run('--model='),
    ]);
    expect(sandbox).toMatchObject({ code: 2, stdout: '' });
    expect(sandbox.stderr).toBe(
      'holdfast: --sandbox is "everything"; expected read-only, workspace-write, danger-full-access\n',
    );
    expect(missing.stderr).toContain('missing.json cannot be read (ENOENT); expected a readable file');
    expect(wrong.stderr).toContain('broken.json: sandboxMode is "everything"; expected read-only');
    expect(model.stderr).toContain('--model is ""; expected the name of a model');
  });

  it('[CODEX-75] with a data directory that cannot be written end the server at once, with the code of that failure', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-codex-cli-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, 'file'), '');
    const dataDir = join(dir, 'file', 'data');
    const { code, stdout, stderr } = await runCli(['codex', '--data-dir', dataDir], { HOLDFAST_DIR: dir });
    expect({ code, stdout }).toEqual({ code: 77, stdout: '' });
    expect(stderr).toContain(`nothing can be written to the data directory ${dataDir} (ENOTDIR)`);
  });
});
