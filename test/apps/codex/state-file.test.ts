import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reconcile } from '../../../src/apps/codex/reconcile.ts';
import { appendLog } from '../../../src/apps/codex/runs/run-log.ts';
import { addWindow, beginRun, endRun, queueRun } from '../../../src/apps/codex/runs/run-record.ts';
import { type CodexState, createState, type LogEntry } from '../../../src/apps/codex/state.ts';
import { boundState } from '../../../src/apps/codex/state-bounds.ts';
import { StateFile } from '../../../src/apps/codex/state-file.ts';
import { writeStoredTask } from '../../../src/dialects/ui-prompts/task-store/write-stored-task.ts';
import type { Task } from '../../../src/task/record.ts';

const options = { workingDirectory: '/project' };
const run = { windowId: 'w', workingDirectory: '/project', input: 'do it', runId: 'r1', requestId: 'host-1' };

async function openFile() {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-codex-state-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const errors: unknown[] = [];
  const path = join(dir, 'codex_app_state.v1.json');
  const open = () => new StateFile(path, (error) => void errors.push(error));
  const read = async () => JSON.parse(await readFile(path, 'utf8')) as CodexState;
  return { dir, path, open, read, errors };
}

function toEntry(seq: number, runId = 'r1', text = 'x'): LogEntry {
  return { seq, runId, ts: new Date(seq).toISOString(), source: 'raw', text };
}

describe('the state file', () => {
  it('[CODEX-40] has the documented layout through the life of a run', async () => {
    const { open, read } = await openFile();
    const file = open();
    file.change(addWindow({ id: 'w', name: 'project', options }));
    file.change(queueRun(run, '2026-01-01T00:00:00.000Z'));
    await file.flush();
    expect((await read()).mcpTasks).toMatchObject([{ id: 'host-1', status: 'queued', runId: 'r1', windowId: 'w' }]);
    file.change(beginRun(run, options));
    await file.flush();
    const running = await read();
    expect(running).toMatchObject({
      version: 1,
      windows: [{ id: 'w', status: 'running', activeRunId: 'r1', lastRunOptions: options }],
      runs: [{ id: 'r1', windowId: 'w', status: 'running', error: null }],
      windowInputs: { w: { items: [{ text: 'do it' }] } },
      mcpTasks: [{ id: 'host-1', status: 'running', promptRequestId: 'host-1', input: 'do it' }],
    });
    file.change(endRun(run, { status: 'failed', text: 'it broke', at: '2026-01-01T00:00:09.000Z' }));
    await file.flush();
    expect(await read()).toMatchObject({
      windows: [{ status: 'idle', activeRunId: '' }],
      runs: [{ status: 'failed', finishedAt: '2026-01-01T00:00:09.000Z', error: { message: 'it broke' } }],
      mcpTasks: [{ status: 'failed', resultText: 'it broke', resultStatus: 'failed', error: { message: 'it broke' } }],
    });
  });

  it('[CODEX-41] loses no change when several write it, and keeps what others put there', async () => {
    const { path, open, read } = await openFile();
    await writeFile(path, JSON.stringify({ version: 1, theirs: { a: 1 }, windows: [{ id: 'old', extra: 2 }] }));
    const [one, other] = [open(), open()];
    const add = (file: StateFile, id: string) => {
      file.change(addWindow({ id, name: id, options }));
      return file.flush();
    };
    const adding = Array.from({ length: 20 }, (_, at) => add(at % 2 ? one : other, `w${at}`));
    await Promise.all([...adding, writeStoredTask(path, { id: 'theirs' })]);
    const state = await read();
    expect(state.windows).toHaveLength(21);
    expect(state).toMatchObject({ theirs: { a: 1 }, mcpTasks: [{ id: 'theirs' }] });
    expect(state.windows[0]).toMatchObject({ id: 'old', extra: 2, status: 'idle' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('[CODEX-42] collects changes and writes them together, without being told to', async () => {
    const { open, read } = await openFile();
    const file = open();
    for (let at = 0; at < 50; at++) file.change(addWindow({ id: `w${at}`, name: 'w', options }));
    const { windows } = await until(read, { what: 'the file' });
    expect(windows).toHaveLength(50);
  });

  it('[CODEX-43] that is no state is kept aside with a warning, and a fresh one is begun', async () => {
    const { dir, path, open, read, errors } = await openFile();
    await writeFile(path, '{"version":1,"windows":[');
    const file = open();
    file.change(addWindow({ id: 'w', name: 'w', options }));
    await file.flush();
    expect((await read()).windows).toHaveLength(1);
    const aside = (await readdir(dir)).filter((name) => name.includes('.corrupt-'));
    expect(aside).toHaveLength(1);
    expect(await readFile(join(dir, aside[0] ?? ''), 'utf8')).toBe('{"version":1,"windows":[');
    expect(errors).toMatchObject([{ code: 'STORE_CORRUPT', message: expect.stringContaining('it was kept as') }]);
  });

  it('[CODEX-44] logs an event once, however often it comes', () => {
    const state = createState();
    beginRun(run, options)(state);
    appendLog(state, run, [toEntry(1), toEntry(2)]);
    appendLog(state, run, [toEntry(1), toEntry(2), toEntry(3)]);
    expect(state.windowLogs.w?.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(state.windowLogs.w?.lines).toHaveLength(3);
    expect(state.runs).toMatchObject([{ lastSeq: 3 }]);
  });

  it('[CODEX-45] stays within its bounds, and what is under way stays in it', () => {
    const state = createState();
    addWindow({ id: 'w', name: 'w', options })(state);
    for (let at = 0; at < 1200; at++) {
      const each = { ...run, runId: `r${at}`, requestId: `t${at}` };
      beginRun(each, options)(state);
      if (at > 0) endRun(each, { status: 'completed', text: 'done', at: '' })(state);
    }
    appendLog(
      state,
      { runId: 'r0', windowId: 'w' },
      Array.from({ length: 5000 }, (_, at) => toEntry(at + 1, 'r0')),
    );
    boundState(state);
    expect(state.runs).toHaveLength(500);
    expect(state.runs[0]).toMatchObject({ id: 'r0', status: 'running' });
    expect(state.mcpTasks).toHaveLength(200);
    expect(state.mcpTasks[0]).toMatchObject({ id: 't0', status: 'running' });
    expect(state.windowInputs.w?.items).toHaveLength(500);
    expect(state.windowLogs.w?.events).toHaveLength(2000);
    expect(state.windowLogs.w?.lines).toHaveLength(2000);
    expect(state.windowLogs.w?.events.at(-1)?.seq).toBe(5000);
  });

  it('[CODEX-45] bounds logs by their length too: of one window, and of all together', () => {
    const state = createState();
    const text = 'y'.repeat(40_000);
    for (let at = 0; at < 20; at++) {
      addWindow({ id: `w${at}`, name: 'w', options })(state);
      const entries = Array.from({ length: 100 }, (_, seq) => toEntry(seq + 1, `r${at}`, text));
      appendLog(state, { runId: `r${at}`, windowId: `w${at}` }, entries);
    }
    boundState(state);
    for (const log of Object.values(state.windowLogs)) {
      expect(JSON.stringify(log.events).length).toBeLessThan(1_100_000);
    }
    expect(JSON.stringify(state.windowLogs).length).toBeLessThan(20_000_000);
  });
});

describe('after processes have died', () => {
  const ended = {
    taskId: 'r1',
    tool: 't',
    status: 'failed',
    outcome: { kind: 'interrupted', reason: 'its worker died' },
    endedAt: 1,
  } as unknown as Task;

  async function openLeft() {
    const opened = await openFile();
    const file = opened.open();
    file.change(addWindow({ id: 'w', name: 'w', options }));
    file.change(beginRun(run, options));
    file.change(queueRun({ ...run, runId: 'r2', requestId: 'host-2' }, ''));
    await file.flush();
    return { ...opened, file: opened.open() };
  }

  it('[CODEX-46] a run whose task has ended, or is unknown, is failed as interrupted and its window is free', async () => {
    const { file, read } = await openLeft();
    await reconcile(file, async (taskId) => (taskId === 'r1' ? ended : undefined));
    const { windows, runs, mcpTasks } = await read();
    expect(windows).toMatchObject([{ status: 'idle', activeRunId: '' }]);
    expect(runs).toMatchObject([{ status: 'failed', error: { message: 'Interrupted: its worker died' } }]);
    expect(mcpTasks).toMatchObject([
      { id: 'host-1', status: 'failed', resultStatus: 'failed' },
      { id: 'host-2', status: 'failed', error: { message: expect.stringMatching(/^interrupted/) } },
    ]);
  });

  it('[CODEX-46] what still runs or waits is left as it is', async () => {
    const { file, path } = await openLeft();
    const before = await readFile(path, 'utf8');
    await reconcile(file, async (taskId) => ({ ...ended, taskId, status: 'working' }));
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});
