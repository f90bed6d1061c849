/**
 * Runs the crash programs and judges what they left behind.
 *
 * The verdict is the same for every crash point: nothing acknowledged is lost, every task ended exactly once, what
 * must not be repeated was not, every outcome was delivered once, and no process is left.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Task, TaskEvent } from 'holdfast';
import { until } from 'holdfast/testing';
import { finishCrashed } from '../programs/crash/crash-finish.js';
import { programPath } from '../programs/program-path.js';
import { readLines } from '../read-lines.ts';

type Finished = Task & { readonly events: readonly TaskEvent[] };

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a crash happens: a folder, and the store in it or, if the environment names one, in a database. */
export interface CrashSite {
  readonly dir: string;
  readonly env?: NodeJS.ProcessEnv;
}

export async function withDirectory(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-crash-'));
  try {
    await run(dir);
  } finally {
    // The keeper of a killed host may still be writing there.
    await rm(dir, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Starts one of the programs in `test/programs`. */
export function startProgram(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const path = programPath(`${name}.js`);
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], stdout, stderr]): Ran => ({ code, signal, stdout, stderr }),
  );
  return { child, ended };
}

export async function runProgram(name: string, ...args: readonly string[]): Promise<Ran> {
  return startProgram(name, args).ended;
}

export async function runUntilKilled(name: string, ...args: readonly string[]): Promise<void> {
  assertKilled(await runProgram(name, ...args));
}

export function assertKilled(ran: Ran): void {
  assert.equal(ran.signal, 'SIGKILL', `the crash point was not reached: ${JSON.stringify(ran)}`);
}

/** Lets a process that has not seen it before finish what is in the store, and judges the whole. */
export async function judge({ dir, env }: CrashSite, workers: 'inline' | 'detached' = 'inline'): Promise<void> {
  const tasks =
    workers === 'inline' ? await finishCrashed(dir, workers, env) : await finishElsewhere({ dir, ...(env && { env }) });
  const journal = readRecords(join(dir, 'journal.txt'));

  for (const [tool, taskId] of pick(journal, 'submitted')) {
    assert.ok(
      tasks.some((task) => task.taskId === taskId && task.tool === tool),
      `task ${taskId} was acknowledged and is lost`,
    );
  }
  for (const task of tasks) judgeTask(task, journal);
  judgeDeliveries(tasks, readRecords(join(dir, 'bells.txt')));
  for (const [pid] of pick(journal, 'pid')) await untilGone(Number(pid));
}

/** A detached worker is the program of its server run again, which must be none that tests. */
async function finishElsewhere({ dir, env }: CrashSite): Promise<Finished[]> {
  const ran = await startProgram('crash-survivor', [dir], env).ended;
  assert.equal(ran.code, 0, `the survivor failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Finished[];
}

function judgeTask(task: Finished, journal: readonly string[][]): void {
  const { taskId, tool, outcome } = task;
  const of = (word: string) => pick(journal, word).filter(([id]) => id === taskId);
  assert.ok(outcome, `task ${taskId} (${tool}) has no outcome`);
  const ends = task.events.filter((event) => event.type === 'ended');
  assert.equal(ends.length, outcome.kind === 'expired' ? 0 : 1, `task ${taskId} (${tool}) ended ${ends.length} times`);

  if (of('cancelled').length > 0) assert.equal(outcome.kind, 'cancelled', `the cancel of ${taskId} was lost`);
  if (of('answered').length > 0) {
    assert.deepEqual(task.questions[0]?.answer, { action: 'accept', content: { ship: true } });
  }
  if (tool === 'pay') assert.ok(of('paid').length <= 1, `task ${taskId} paid twice`);
  if (tool === 'pay' && outcome.kind === 'result') assert.equal(of('paid').length, 1);
  if (task.idempotent)
    assert.equal(outcome.kind, 'result', `task ${taskId} (${tool}) ended as ${JSON.stringify(outcome)}`);
  else assert.notEqual(outcome.kind, 'error');

  const lines = journal.filter(([, id]) => id === taskId).map(([word]) => word);
  assert.ok(
    !lines.includes('stepped') || lines.lastIndexOf('compiled') < lines.indexOf('stepped'),
    `task ${taskId} repeated a finished step`,
  );
}

function judgeDeliveries(tasks: readonly Task[], bells: readonly string[][]): void {
  const delivered = bells.map(([, taskId]) => taskId).sort();
  assert.deepEqual(delivered, tasks.map((task) => task.taskId).sort(), 'every outcome is delivered exactly once');
  for (const [, taskId, status] of bells) {
    assert.equal(status, tasks.find((task) => task.taskId === taskId)?.status, 'what was delivered is what is stored');
  }
}

/** The words of each line. */
export function readRecords(path: string): string[][] {
  return readLines(path).map((line) => line.split(' '));
}

/** The words after `word` in the lines that begin with it. */
export function pick(journal: readonly string[][], word: string): string[][] {
  return journal.filter(([first]) => first === word).map(([, ...rest]) => rest);
}

async function untilGone(pid: number): Promise<void> {
  await until(() => !isRunning(pid), { what: `process ${pid} to be gone` });
}

function isRunning(pid: number): boolean {
  try {
    // A zombie has ended; it only waits to be collected.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
