import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, openSqliteStore, type TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRecords, startProgram, withDirectory } from './judge.ts';

const INTERRUPTED = 'its worker stopped responding; this work may not be repeated';
const GONE_ON = { outcome: { kind: 'result', value: 'from the new worker' }, notes: [] };

type ToolName = 'render' | 'pay' | 'print' | 'apart';

/** Stops a worker until another one has ended its task, lets it go on, and returns what it then noted. */
async function wakeAfterTheEnd(tool: ToolName, where: 'claimed' | 'begun') {
  const found: { outcome: unknown; notes: string[][] }[] = [];
  await withDirectory(async (dir) => {
    const journal = () => readRecords(join(dir, 'journal.txt'));
    const { engine, store } = await openEngine(dir);
    const { taskId } = (await engine.submit(tool)).task;
    const old = startProgram('stopped-worker', [dir, taskId, where]);
    const pid = old.child.pid ?? 0;
    // A stopped process would stay for ever if the test went wrong.
    onTestFinished(() => void old.child.kill('SIGKILL'));
    await until(() => isStopped(pid), { timeoutMs: 60_000 });
    await engine.start();
    const outcome = await engine.outcome(taskId);
    const before = journal().length;
    process.kill(pid, 'SIGCONT');
    expect(await old.ended).toMatchObject({ code: 0 });
    found.push({ outcome, notes: journal().slice(before) });
    await engine.close();
    await store.close();
  });
  return found[0];
}

async function openEngine(dir: string) {
  const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
  const run = () => 'from the new worker';
  const engine = await createEngine({
    ...{ name: 'stopped', identity: 'stopped', store, leaseMs: 500, superviseMs: 50 },
    codec: { encode: (text) => text, decode: (text) => text },
    tools: {
      render: { idempotent: true, run: render },
      pay: { run },
      print: { idempotent: true, run },
      apart: { idempotent: true, run },
    },
  });
  return { store, engine };
}

async function render(_args: unknown, task: TaskContext) {
  await task.step('first', () => 'again');
  await task.step('second', () => 'again');
  return 'from the new worker';
}

function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}

describe('a worker that was stopped past its lease, and goes on after the end of its task', () => {
  it('[BAD-250] does not begin a body that may not be repeated', async () => {
    const outcome = { kind: 'interrupted', reason: INTERRUPTED };
    expect(await wakeAfterTheEnd('pay', 'claimed')).toEqual({ outcome, notes: [] });
  });

  it('[BAD-250] does not begin one that may be', async () => {
    expect(await wakeAfterTheEnd('render', 'claimed')).toEqual(GONE_ON);
  });

  it('[BAD-251] runs no step whose value another worker has stored', async () => {
    expect(await wakeAfterTheEnd('render', 'begun')).toEqual(GONE_ON);
  });

  it('[BAD-252] starts no program', async () => {
    expect(await wakeAfterTheEnd('print', 'begun')).toEqual(GONE_ON);
  });

  it('[BAD-252] starts no process for an isolated attempt', async () => {
    expect(await wakeAfterTheEnd('apart', 'claimed')).toEqual(GONE_ON);
  });
});
