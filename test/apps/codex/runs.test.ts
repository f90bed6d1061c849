import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseCodexOptions } from '../../../src/apps/codex/codex-options.ts';
import { toCodexArgs } from '../../../src/apps/codex/runs/codex-args.ts';
import { type Answer, type CodexRig, openCodex, toThread, untilQuiet } from './open-codex.ts';

let rig: CodexRig;

beforeAll(async () => {
  // The place that Codex knows by this name, wherever other tests keep their files.
  vi.stubEnv('TMPDIR', '/tmp');
  rig = await openCodex({ codex: { stallMs: 60_000 } });
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
});

const toText = ({ result }: Answer) => result?.content[0]?.text;

describe('a run of Codex', () => {
  it('[CODEX-01] gets its prompt on stdin, works in the directory of the call, and its last message is the result', async () => {
    const workdir = await rig.project('works');
    const answer = await rig.run('make it so', workdir);
    expect(toText(answer)).toBe('did: make it so');
    expect(await readFile(join(workdir, 'edited.txt'), 'utf8')).toBe('make it so');
    const [execution] = rig.executions().filter(({ cwd }) => cwd === workdir);
    expect(execution).toMatchObject({ cwd: workdir, prompt: 'make it so' });
  });

  it('[CODEX-02] is sandboxed to its directory, asks nobody and leaves the model to Codex, unless the owner says otherwise', async () => {
    const workdir = await rig.project('defaults');
    await rig.run('anything', workdir);
    const [execution] = rig.executions().filter(({ cwd }) => cwd === workdir);
    const policy = ['--config', 'approval_policy="never"'];
    const safe = ['--sandbox', 'workspace-write', '--cd', '.', '--skip-git-repo-check'];
    // What this app keeps lies among temporary files here, so these are no part of the workspace.
    const closed = ['slash_tmp', 'tmpdir_env_var'].map((name) => `sandbox_workspace_write.exclude_${name}=true`);
    const configs = closed.flatMap((config) => ['--config', config]);
    expect(execution?.args).toEqual(['exec', '--json', ...safe, ...policy, ...configs]);
  });

  it('[CODEX-02] is run as the owner of the server says, and nothing in a call changes that', () => {
    const settings = parseCodexOptions({
      sandboxMode: 'danger-full-access',
      approvalPolicy: 'on-request',
      model: 'm',
      modelReasoningEffort: 'high',
      networkAccessEnabled: false,
      webSearchEnabled: true,
      skipGitRepoCheck: false,
    });
    expect(toCodexArgs(settings, { threadId: 't', closed: [], additional: ['/a', '/b'] }).join(' ')).toBe(
      'exec --json --model m --sandbox danger-full-access --cd . --add-dir /a --add-dir /b ' +
        '--config model_reasoning_effort="high" --config sandbox_workspace_write.network_access=false ' +
        '--config features.web_search_request=true --config approval_policy="on-request" resume -- t',
    );
  });

  it('[CODEX-03] goes on with the thread that the last run in the window began', async () => {
    const workdir = await rig.project('threads');
    await rig.run('first', workdir);
    await rig.run('second', workdir);
    const [first, second] = rig.executions().filter(({ cwd }) => cwd === workdir);
    expect(first?.args).not.toContain('resume');
    expect(second?.args.slice(-3)).toEqual(['resume', '--', toThread(first?.pid)]);
  });

  it('[CODEX-04] that exits with a code fails with the code and with what Codex said about it', async () => {
    const answer = await rig.run('crashes!', await rig.project('crashes'));
    expect(answer.result).toMatchObject({ isError: true });
    expect(toText(answer)).toBe('codex exited with code 3: the model gave up');
    expect(toText(await rig.run('dies!', await rig.project('dies')))).toBe('codex exited with signal SIGKILL');
  });

  it('[CODEX-05] keeps lines that are no events as raw text, and goes on', async () => {
    const workdir = await rig.project('garbles');
    expect(toText(await rig.run('garbles!', workdir))).toBe('garbled');
    const raw = await findLogged(workdir, 'raw');
    expect(raw.map(({ text }) => text)).toEqual(['this is no JSON', '{"type": ', '[1]']);
  });

  it('[CODEX-06] keeps what Codex says on stderr, 50,000 characters of each piece', async () => {
    const workdir = await rig.project('noisy');
    expect(toText(await rig.run('noisy!', workdir))).toBe('noisy');
    const texts = await findLogged(workdir, 'stderr');
    expect(texts.map(({ text }) => String(text)).join('')).toContain('Reading prompt from stdin...');
    for (const { text } of texts) expect(String(text).length).toBeLessThanOrEqual(50_000);
  });

  it('[CODEX-07] ends when Codex has, though something it started holds its output open', async () => {
    expect(toText(await rig.run('lingers!', await rig.project('lingers')))).toBe('lingered');
  });

  it('[CODEX-08] has a result even when Codex said nothing', async () => {
    expect(toText(await rig.run('silent!', await rig.project('silent')))).toBe('Codex has finished without a message.');
  });

  it('[CODEX-09] shows the plan of Codex in the state file', async () => {
    const workdir = await rig.project('plans');
    await rig.run('plans!', workdir);
    const { windows, windowTasks } = await untilQuiet(rig);
    const id = windows.find(({ lastRunOptions }) => lastRunOptions?.workingDirectory === workdir)?.id ?? '';
    expect(windowTasks[id]).toMatchObject({
      todoListId: 'todo_1',
      todoList: [
        { text: 'look', completed: true },
        { text: 'leap', completed: false },
      ],
    });
  });

  it('[CODEX-10] with an answer that is too long gives its beginning, and a link to a file with all of it', async () => {
    const { result } = await rig.run('long!', await rig.project('long'));
    const [text, link] = result?.content ?? [];
    expect(text?.text).not.toMatch(/\p{Surrogate}/u);
    expect(text?.text).toContain('the beginning of 2800000 bytes');
    expect(link).toMatchObject({ type: 'resource_link', size: 2_800_000, mimeType: 'text/markdown' });
    const file = fileURLToPath(String(link?.uri));
    expect(await readFile(file, 'utf8')).toBe('😀'.repeat(700_000));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('[CODEX-11] with 100 MB of output, in lines or in one without an end, keeps a bounded part of it', async () => {
    const before = process.memoryUsage().rss;
    const workdir = await rig.project('endless');
    const runs = [rig.run('floods!', await rig.project('floods')), rig.run('endless!', workdir)];
    expect((await Promise.all(runs)).map(toText)).toEqual(['flooded', 'after an endless line']);
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
    const [raw] = await findLogged(workdir, 'raw');
    expect(raw).toMatchObject({ truncated: true, originalLength: 100_000_000 });
    expect(String(raw?.text)).toHaveLength(50_000);
    const size = (await stat(join(rig.dir, 'codex_app_state.v1.json'))).size;
    expect(size).toBeLessThan(20_000_000);
  });

  it('[CODEX-12] begins a new thread, and says so, when Codex does not know the old one any more', async () => {
    const workdir = await rig.project('lost-thread');
    const made = await rig.call('codex_app_create_window', { workingDirectory: workdir });
    const window = made.result?.structuredContent?.window as { readonly id: string } | undefined;
    await rig.run('loses!', workdir);
    const again = await rig.run('again', workdir);
    expect(toText(again)).toBe('did: again');
    const runs = rig.executions().filter(({ cwd }) => cwd === workdir);
    expect(runs.map(({ args }) => args.includes('resume'))).toEqual([false, true, false]);
    const { windows } = await untilQuiet(rig);
    expect(windows.find(({ id }) => id === window?.id)?.threadId).toBe(toThread(runs[2]?.pid));
  });
});

async function findLogged(workdir: string, source: string) {
  const { windows, windowLogs } = await untilQuiet(rig);
  const id = windows.find(({ lastRunOptions }) => lastRunOptions?.workingDirectory === workdir)?.id ?? '';
  return (windowLogs[id]?.events ?? []).filter((entry) => entry.source === source);
}
