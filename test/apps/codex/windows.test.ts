import { existsSync } from 'node:fs';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toOwnLogDirectory } from '../../../src/dialects/ui-prompts/log/own-log.ts';
import { isRunning } from '../../engine/workers/start-program.ts';
import { type Answer, type CodexRig, openCodex, untilQuiet } from './open-codex.ts';

let rig: CodexRig;

beforeAll(async () => {
  rig = await openCodex({ codex: { concurrency: 2 } });
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

afterEach(() => {
  expect(rig.takeErrors(), 'errors in the background').toEqual([]);
});

const toText = ({ result }: Answer) => result?.content[0]?.text;
const findRuns = (workdir: string) => rig.executions().filter(({ cwd }) => cwd === workdir);
const untilRuns = (workdir: string, count: number) =>
  until(() => findRuns(workdir).length === count, { what: `${count} runs in ${workdir}` });

async function findWindow(workdir: string) {
  const { result } = await rig.call('codex_app_list_windows');
  const windows = result?.structuredContent?.windows as { workingDirectory: string; [key: string]: unknown }[];
  return windows.find(({ workingDirectory }) => workingDirectory === workdir);
}

describe('windows', () => {
  it('[CODEX-20] [CODEX-21] runs of one window go one after the other in order, while other windows run beside them', async () => {
    const one = await rig.project('one');
    const other = await rig.project('other');
    const first = rig.run('hangs! 1', one);
    await untilRuns(one, 1);
    const waiting: Promise<Answer>[] = [];
    // More than there are slots: whoever waits for a window takes none up.
    for (const prompt of ['2', '3', '4', '5']) {
      waiting.push(rig.run(prompt, one));
      await until(async () => (await findWindow(one))?.queued === waiting.length, { what: `${prompt} to wait` });
    }
    expect(toText(await rig.run('beside', other))).toBe('did: beside');
    expect(findRuns(one)).toHaveLength(1);
    await writeFile(join(one, 'go'), '');
    expect(toText(await first)).toBe('did: hangs! 1');
    expect((await Promise.all(waiting)).map(toText)).toEqual(['did: 2', 'did: 3', 'did: 4', 'did: 5']);
    expect(findRuns(one).map(({ prompt }) => prompt)).toEqual(['hangs! 1', '2', '3', '4', '5']);
  });

  it('[CODEX-22] two ways to the same directory are one window', async () => {
    const real = await rig.project('real');
    const link = join(rig.root, 'link');
    await symlink(real, link);
    await rig.run('by the link', link);
    await rig.run('directly', `${real}/.`);
    const { windows } = await untilQuiet(rig);
    expect(windows.filter(({ name }) => name === 'real' || name === 'link')).toHaveLength(1);
  });

  it('[CODEX-23] stopping a window ends the run with everything it started, also what does not heed SIGTERM', async () => {
    const workdir = await rig.project('stubborn');
    const call = rig.run('stubborn!', workdir);
    const { grandchild = 0 } = await until(() => rig.executions().find((line) => line.grandchild), { what: 'a child' });
    const [run] = findRuns(workdir);
    const windowId = (await until(async () => findWindow(workdir), { what: 'the window' })).id;
    const stopped = await rig.call('codex_app_window_stop', { windowId });
    expect(stopped.result?.structuredContent).toMatchObject({ stopped: [expect.any(String)] });
    expect((await call).error?.message).toContain('stopped on request');
    const isLeft = async () => (await isRunning(run?.pid ?? 0)) || (await isRunning(grandchild));
    await until(async () => !(await isLeft()), { what: 'the tree to be gone' });
    const { runs, mcpTasks, windows } = await untilQuiet(rig);
    expect(runs.at(-1)).toMatchObject({ status: 'aborted', error: { message: 'Cancelled: stopped on request' } });
    expect(mcpTasks.at(-1)).toMatchObject({ status: 'aborted', resultStatus: 'aborted' });
    expect(windows.find(({ id }) => id === windowId)).toMatchObject({ status: 'idle', activeRunId: '' });
  });

  it('[CODEX-24] a run that waits can be stopped by the id of its task, and the rest go on', async () => {
    const workdir = await rig.project('waiting');
    const first = rig.run('hangs! first', workdir);
    await untilRuns(workdir, 1);
    const second = rig.run('second', workdir);
    await until(async () => (await findWindow(workdir))?.queued === 1, { what: 'the second to wait' });
    const third = rig.run('third', workdir);
    await until(async () => (await findWindow(workdir))?.queued === 2, { what: 'the third to wait' });
    const { mcpTasks } = await rig.state();
    const taskId = mcpTasks.find(({ input }) => input === 'second')?.id;
    // Hosts send along all they know of a call.
    await rig.call('codex_app_window_stop', { taskId, task_id: taskId, sessionId: 's' });
    expect((await second).error?.message).toContain('stopped on request');
    await writeFile(join(workdir, 'go'), '');
    expect([toText(await first), toText(await third)]).toEqual(['did: hangs! first', 'did: third']);
    expect(findRuns(workdir).map(({ prompt }) => prompt)).toEqual(['hangs! first', 'third']);
  });

  it('[CODEX-25] a window can be made before its first run, and made again it is the same', async () => {
    const workdir = await rig.project('made');
    const make = () => rig.call('codex_app_create_window', { workingDirectory: workdir, name: 'Mine' });
    const [first, second] = [await make(), await make()];
    expect(first.result?.structuredContent).toMatchObject({
      window: { name: 'Mine', status: 'idle', workingDirectory: workdir, queued: 0, lastRun: null },
    });
    expect(second.result?.structuredContent).toEqual(first.result?.structuredContent);
    await rig.run('in it', workdir);
    expect(await findWindow(workdir)).toMatchObject({ name: 'Mine', lastRun: { status: expect.any(String) } });
  });

  it('[CODEX-26] the log of a window can be read on from a number, and shows each event as a text too', async () => {
    const workdir = await rig.project('logged');
    await rig.run('logged', workdir);
    await untilQuiet(rig);
    const windowId = (await findWindow(workdir))?.id;
    const read = async (args: object) => {
      const { result } = await rig.call('codex_app_window_logs', { windowId, ...args });
      return result?.structuredContent as { events: { seq: number }[]; lines: string[]; lastSeq: number };
    };
    const whole = await read({});
    expect(whole.events.map(({ seq }) => seq)).toEqual(whole.events.map((_, at) => at + 1));
    expect(whole.lines.at(-2)).toMatch(/^\[.*\] item\.completed assistant "did: logged"$/);
    const rest = await read({ after: 3, limit: 2 });
    expect(rest.events).toEqual(whole.events.slice(3, 5));
    expect(rest.lastSeq).toBe(5);
    expect((await read({ limit: 1 })).lines).toEqual(whole.lines.slice(-1));
  });

  it('[CODEX-27] a window that does not exist is named, with those that do', async () => {
    const { result } = await rig.call('codex_app_window_logs', { windowId: 'nowhere' });
    expect(result?.isError).toBe(true);
    expect(result?.content[0]?.text).toMatch(/there is no window "nowhere"; expected win_/);
    const { result: nothing } = await rig.call('codex_app_window_stop', {});
    expect(nothing?.content[0]?.text).toContain('expected: a windowId, or the taskId of a call');
  });

  it('[CODEX-28] every end writes one result prompt with the text of the result', async () => {
    await untilQuiet(rig);
    const text = await readFile(join(toOwnLogDirectory(rig.dir, 'local'), 'ui-prompts.jsonl'), 'utf8');
    const prompts = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    const { mcpTasks } = await rig.state();
    expect(prompts.map(({ requestId }) => requestId).sort()).toEqual(mcpTasks.map(({ id }) => id).sort());
    for (const { id, resultText } of mcpTasks) {
      expect(prompts.find(({ requestId }) => requestId === id).prompt.markdown).toBe(resultText);
    }
  });

  it('[CODEX-29] leaves no ticket, no lock and no mark behind', async () => {
    await untilQuiet(rig);
    const queues = join(rig.dir, 'codex_app_queue');
    expect(existsSync(queues)).toBe(true);
    await until(async () => {
      const folders = await readdir(queues);
      const left = await Promise.all(folders.map((folder) => readdir(join(queues, folder))));
      const marks = await readdir(join(rig.dir, 'codex_app_begun'));
      return left.flat().length === 0 && marks.length === 0;
    });
  });
});
