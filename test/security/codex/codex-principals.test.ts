/** Two principals who reach the same server over HTTP. Neither is to learn what the other one does. */
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, type CodexRig, openCodex, toIdentity } from '../../apps/codex/open-codex.ts';

let rig: CodexRig;

beforeEach(async () => {
  rig = await openCodex({ verify: toIdentity });
});

afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

interface Window {
  readonly id: string;
  readonly workingDirectory: string;
  readonly queued: number;
}

async function listWindows(client: CodexRig['call']): Promise<readonly Window[]> {
  const { result } = await client('codex_app_list_windows');
  return result?.structuredContent?.windows as Window[];
}

const toText = ({ result }: Answer) => result?.content[0]?.text ?? '';

describe('a stranger over HTTP', () => {
  it('[SEC-180] sees no window, no log and no thread of another, though both work in the same directory', async () => {
    const [ada, bob] = [rig.as('ada'), rig.as('bob')];
    const workdir = await rig.project('shared');
    const meta = { workdir, stream: false };
    expect(toText(await ada('codex_app_window_run', { prompt: 'a secret of ada' }, meta))).toContain('secret');
    const windows = await until(async () => (await listWindows(ada)).length > 0 && listWindows(ada));
    const windowId = windows[0]?.id;
    expect(await listWindows(bob)).toEqual([]);
    const [logs, stopped] = [
      await bob('codex_app_window_logs', { windowId }),
      await bob('codex_app_window_stop', { windowId }),
    ];
    for (const answer of [logs, stopped]) {
      expect(answer.result?.isError).toBe(true);
      expect(toText(answer)).toContain('there is none yet');
    }
    expect(toText(await bob('codex_app_window_run', { prompt: 'go on' }, meta))).toBe('did: go on');
    const [, second] = rig.executions();
    expect(second?.args).not.toContain('resume');
    const read = async () => JSON.stringify(await bob('codex_app_window_logs', { windowId }));
    await until(async () => (await read()).includes('go on'), { what: "bob's own log" });
    expect(await read()).not.toContain('secret');
    expect(existsSync(join(rig.dir, 'codex_app_state.v1.json'))).toBe(false);
  });

  it('[SEC-180] stops nothing that another one runs, and is not run beside it', async () => {
    const [ada, bob] = [rig.as('ada'), rig.as('bob')];
    const workdir = await rig.project('busy');
    const meta = { workdir, stream: false };
    const first = ada('codex_app_window_run', { prompt: 'hangs! ada' }, meta);
    await until(() => rig.executions().length === 1, { what: "ada's run" });
    const second = bob('codex_app_window_run', { prompt: 'bob' }, meta);
    const [window] = await until(async () => {
      const windows = await listWindows(bob);
      return windows[0]?.queued === 1 && windows;
    });
    const { result } = await bob('codex_app_window_stop', { windowId: window?.id });
    expect(result?.structuredContent).toEqual({ stopped: [] });
    expect(rig.executions()).toHaveLength(1);
    await writeFile(join(workdir, 'go'), '');
    expect(toText(await first)).toBe('did: hangs! ada');
    expect(toText(await second)).toBe('did: bob');
  });

  it('[SEC-181] has a state of its own: the same task id of two principals does not meet, and neither is in the file of the owner', async () => {
    const names = ['ada', 'bob'];
    for (const name of names) {
      const meta = { workdir: await rig.project(name), taskId: 'same', chatos: { uiApp: {} } };
      expect((await rig.as(name)('codex_app_window_run', { prompt: `of ${name}` }, meta)).error).toBeUndefined();
    }
    const folder = join(rig.dir, 'codex_app_principals');
    const read = async () => {
      const found = await readdir(folder);
      const texts = await Promise.all(
        found.map((one) => readFile(join(folder, one, 'codex_app_state.v1.json'), 'utf8').catch(() => '{}')),
      );
      return texts.flatMap((text) => (JSON.parse(text).mcpTasks ?? []) as { id: string; resultText: string }[]);
    };
    const isOver = async () => {
      const tasks = await read();
      return tasks.length === 2 && tasks.every(({ resultText }) => resultText !== '') && tasks;
    };
    const tasks = await until(isOver, { what: 'both results', timeoutMs: 60_000 });
    expect(tasks.map(({ resultText }) => resultText).toSorted()).toEqual(['did: of ada', 'did: of bob']);
    expect(existsSync(join(rig.dir, 'codex_app_state.v1.json'))).toBe(false);
  });

  it('[SEC-182] names no place for data of this machine: over HTTP there are no roots but those the owner gave', async () => {
    vi.stubEnv('HOME', rig.dir);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using own = await openCodex({ promptRoots: undefined as never });
    const dataDir = join(rig.dir, 'planted');
    const meta = { chatos: { uiApp: { dataDir } } };
    expect((await own.call('codex_app_list_windows', {}, meta)).result?.isError).not.toBe(true);
    await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
  });
});
