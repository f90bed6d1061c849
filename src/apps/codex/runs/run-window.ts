/** One run, from its turn in the window to its result. */

import { dirname } from 'node:path';
import { findCommand } from '../../../app-kit/index.ts';
import { type ServerTaskContext, type Task, TaskError } from '../../../index.ts';
import { findWindow, toLockDirectory } from '../call-place.ts';
import type { CodexApp } from '../codex-app.ts';
import { toCodexEnvironment } from '../codex-environment.ts';
import { toRealPath } from '../real-path.ts';
import type { RunOptions } from '../state.ts';
import type { StateFile } from '../state-file.ts';
import { tryWindowLock, waitForWindowLock } from '../window-lock.ts';
import { checkUnmoved, checkWorkingDirectory } from '../work-places.ts';
import { markBegun } from './begun-mark.ts';
import { toCodexArgs, toRunOptions } from './codex-args.ts';
import { findOpenTemporary } from './open-temporary.ts';
import { type CodexEnd, runCodex } from './run-codex.ts';
import { logRun } from './run-log.ts';
import { abortRun, addWindow, beginRun, keepThread, queueRun, type RunIds, type RunPlan } from './run-record.ts';
import { toRunResult } from './run-result.ts';

/** What `prepare` derives from a call before its task is written. */
export interface PlannedRun extends RunPlan {
  readonly dataDir: string;
}

/** Waits for the window, runs Codex in it, and returns its last message. */
export async function runInWindow(app: CodexApp, planned: PlannedRun, task: ServerTaskContext) {
  const { dataDir, ...plan } = planned;
  const run: RunIds = { ...plan, runId: task.taskId };
  const options = toRunOptions(app.settings, run.workingDirectory);
  const directory = toLockDirectory(dataDir, run.windowId);
  const { createdAt } = await app.access.get(task.taskId, { principal: task.principal });
  // If this fails, the state just does not show the run as queued; the run itself is not affected.
  await showQueued(app, planned, { taskId: run.runId, principal: task.principal, createdAt }).catch(app.report);
  const release =
    (await tryWindowLock(directory)) ?? (await task.idle(() => waitForWindowLock(directory, task.signal)));
  try {
    const state = await app.openState(dataDir, task.principal);
    if (!(await markBegun(dataDir, task.taskId))) {
      throw new TaskError('INTERRUPTED', 'the worker was lost while Codex ran; it is not repeated');
    }
    return await takeTurn(app, { run, state, task }, options);
  } finally {
    await release();
  }
}

async function takeTurn(app: CodexApp, work: Work, options: RunOptions) {
  const { run, state, task } = work;
  try {
    state.change(beginRun(run, options));
    await state.flush();
    logRun(app.access, state, run).catch(app.report);
    task.signal.addEventListener('abort', () => state.change(abortRun(run)), { once: true });
    return await goOn(app, work);
  } finally {
    // The next run needs the thread that this one started.
    await state.flush().catch(app.report);
  }
}

/** Adds a queued run to the state, unless it is there already. */
export async function showQueued(
  app: CodexApp,
  { dataDir, ...plan }: PlannedRun,
  { taskId, principal, createdAt }: Pick<Task, 'taskId' | 'principal' | 'createdAt'>,
): Promise<void> {
  const run: RunIds = { ...plan, runId: taskId };
  const options = toRunOptions(app.settings, run.workingDirectory);
  const state = await app.openState(dataDir, principal);
  const { name } = findWindow(await state.read(), run.workingDirectory);
  state.change(addWindow({ id: run.windowId, name, options }));
  state.change(queueRun(run, new Date(createdAt).toISOString()));
}

interface Work {
  readonly run: RunIds;
  readonly state: StateFile;
  readonly task: ServerTaskContext;
}

/** Resumes the thread of the window, or starts a new one. */
async function goOn(app: CodexApp, { run, state, task }: Work) {
  const { settings } = app;
  const { maxTextBytes } = settings;
  const { windows } = await state.read();
  const threadId = windows.find(({ id }) => id === run.windowId)?.threadId ?? '';
  let end = await startCodex(app, { run, state, task }, threadId);
  if (threadId !== '' && end.code !== 0 && !end.hasThread && !task.signal.aborted) {
    // The thread may have been deleted. Codex has done nothing yet, so a new thread does no harm.
    const message = `thread ${threadId} could not be resumed; a new one is begun`;
    await task.stream({ source: 'system', event: { type: 'warning', message } });
    state.change(keepThread(run.windowId, ''));
    end = await startCodex(app, { run, state, task }, '');
  }
  return toRunResult(end, { taskId: task.taskId, dataDir: dirname(state.path), maxTextBytes });
}

async function startCodex(app: CodexApp, { run, state, task }: Work, threadId: string): Promise<CodexEnd> {
  const { settings, work } = app;
  const { workingDirectory: cwd, input: prompt } = run;
  const check = async () => {
    await checkWorkingDirectory(cwd, work);
    await checkUnmoved(work.additional);
  };
  await check();
  const env = await toCodexEnvironment(work.writable);
  const command = await findCodex(settings.codexCommand, { cwd, path: env.PATH });
  const closed = await findOpenTemporary([...work.guarded, await toRealPath(dirname(state.path))]);
  const args = toCodexArgs(settings, { threadId, closed, additional: work.additional });
  const onThread = (id: string) => state.change(keepThread(run.windowId, id));
  return runCodex({ command, args, cwd, env, prompt, stallMs: settings.stallMs, check, onThread }, task);
}

async function findCodex(command: string, place: { cwd: string; path: string | undefined }): Promise<string> {
  try {
    return await findCommand(command, place);
  } catch (cause) {
    // Does not reveal to clients where the owner keeps programs.
    const what = command.includes('/') ? 'the codex that the owner named' : JSON.stringify(command);
    const why = command.includes('/') ? 'it is not there, or is not executable' : 'it was not found on PATH';
    const remedy = 'install it with npm i -g @openai/codex, or name its file with --codex PATH';
    throw new TaskError('COMMAND_NOT_FOUND', `cannot start ${what}: ${why}; ${remedy}`, { cause });
  }
}
