/** `codex_app_window_run`: one prompt, run by Codex in the window of its working directory. */

import { z } from 'zod';
import { isObject } from '../../../app-kit/index.ts';
import { type DeliveryHandler, type Json, LOCAL, type ServerTool, type Task, TaskError } from '../../../index.ts';
import { type CallMeta, findWindow, findWorkingDirectory, STATE_FILE, toWindowQueue } from '../call-place.ts';
import type { CodexApp } from '../codex-app.ts';
import { dropMark } from './begun-mark.ts';
import { logRun } from './run-log.ts';
import { endRun, type RunIds, toRunOutcome } from './run-record.ts';
import { type PlannedRun, runInWindow, showQueued } from './run-window.ts';

/** The outbox topic that delivers the end of a run to the state file. */
export const RUN_OUTCOME_TOPIC = 'codex-run-end';

const DESCRIPTION =
  'Give Codex a task in the current project: it reads, writes and runs what the sandbox allows. ' +
  'Takes minutes; the answer is what Codex says at its end.';

export function createRunTool(app: CodexApp): ServerTool<z.ZodObject<{ prompt: z.ZodString }>> {
  return {
    title: 'Run Codex',
    description: DESCRIPTION,
    input: z.object({ prompt: z.string().describe('What Codex is to do') }),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    // When its worker is lost, a run that only waited is run again. A run that had started is not: see run-window.ts.
    idempotent: true,
    retry: { maxAttempts: 1000, firstDelayMs: 200, maxDelayMs: 1000, when: () => false },
    // One run at a time per window, across all principals.
    queue: (_args, prepared) => toWindowQueue(toPrepared(prepared)),
    queueScope: 'program',
    // The state file shows queued runs; a worker that claims the task shows it too.
    onSubmitted: (task) => showQueued(app, toPlanned(task), task),
    // Codex itself already runs as a process of its own.
    isolate: false,
    maxRunMs: app.settings.maxRunMs,
    // Calls that did not ask for a stream are held, and return Codex's last message.
    stream: { calls: 'asked', app: 'codex_app', describe: (prepared) => ({ windowId: toPrepared(prepared).windowId }) },
    asyncTask: { optional: true, promptAlways: true, ownStore: true, stateFileName: STATE_FILE },
    prepare: ({ args, meta }) => prepare(app, args, meta),
    deliver: (prepared) => [{ topic: RUN_OUTCOME_TOPIC, data: prepared as Json }],
    run: (_args, task) => runInWindow(app, toPrepared(task.prepared), task),
  };
}

/** Writes the end of a run to the state file, together with the missing part of its log. */
export function createRunOutcomeHandler(app: CodexApp): DeliveryHandler {
  return async ({ task, data }) => {
    const { dataDir, ...plan } = toPrepared(data);
    const state = await app.openState(dataDir, task.principal);
    const run: RunIds = { ...plan, runId: task.taskId };
    await logRun(app.access, state, run);
    state.change(endRun(run, toRunOutcome(task)));
    await state.flush();
    await dropMark(dataDir, task.taskId);
  };
}

async function prepare(app: CodexApp, args: unknown, meta: CallMeta): Promise<Json> {
  const prompt = isObject(args) ? args.prompt : undefined;
  if (prompt === undefined || (typeof prompt === 'string' && prompt.trim() === '')) {
    throw new TaskError('INVALID_ARGUMENT', 'prompt is required');
  }
  if (typeof prompt !== 'string') throw new TaskError('INVALID_ARGUMENT', 'prompt is required: expected a text');
  const requestId = readRequestId(meta);
  checkContract(meta, requestId);
  const workingDirectory = await findWorkingDirectory(meta, app.work);
  const dataDir = await app.openDataDirectory(meta);
  // The principal matters only when the run starts; a window has the same id for every principal.
  const state = await app.openState(dataDir, LOCAL);
  const { id: windowId } = findWindow(await state.read(), workingDirectory);
  return { windowId, workingDirectory, dataDir, input: prompt, ...(requestId && { requestId }) };
}

/** Returns the id that the host created, from the `_meta` key that the host chose. */
function readRequestId(meta: CallMeta): string {
  const { asyncTask } = meta;
  const named = isObject(asyncTask) && typeof asyncTask.taskIdKey === 'string' ? asyncTask.taskIdKey.trim() : '';
  const taskId = meta[named || 'taskId'];
  return typeof taskId === 'string' ? taskId.trim() : '';
}

/** `_meta` keys that hosts of UI apps set in every call from one of their models. */
const HOST_MARKS = ['toolCallId', 'tool_call_id', 'userMessageId', 'user_message_id'];

/** Throws when a UI app host neither asks for a stream nor sends the id of its prompt: it would wait for ever. */
function checkContract(meta: CallMeta, requestId: string): void {
  if (requestId !== '' || meta.stream === true || !HOST_MARKS.some((mark) => meta[mark] !== undefined)) return;
  throw new TaskError('INVALID_ARGUMENT', 'taskId is required in _meta');
}

function toPlanned({ args }: Task): PlannedRun {
  return toPrepared((args as { readonly prepared?: Json }).prepared);
}

function toPrepared(prepared: Json | undefined): PlannedRun {
  return prepared as unknown as PlannedRun;
}
