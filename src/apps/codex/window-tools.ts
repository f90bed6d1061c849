/** Tools that list windows, create them, read their logs, and stop their runs. */

import { z } from 'zod';
import type { HoldfastServer, Json, ServerTaskContext } from '../../index.ts';
import { findWindow, findWorkingDirectory } from './call-place.ts';
import type { CodexApp } from './codex-app.ts';
import { toRunOptions } from './runs/codex-args.ts';
import { addWindow } from './runs/run-record.ts';
import { checkWindow, stopRuns } from './runs/stop-runs.ts';
import type { CodexState, CodexWindow, LogEntry } from './state.ts';

const windowId = z.string().min(1).describe('The id of a window, as codex_app_list_windows tells it');

const LOOKS = { readOnlyHint: true, openWorldHint: false };

export function addWindowTools(server: HoldfastServer, app: CodexApp): void {
  const prepare = async ({ meta }: { readonly meta: { readonly [key: string]: unknown } }): Promise<Json> => ({
    dataDir: await app.openDataDirectory(meta),
    workingDirectory: await findWorkingDirectory(meta, app.work).catch(() => null),
  });
  const open = (task: ServerTaskContext) =>
    app.openState((task.prepared as { readonly dataDir: string }).dataDir, task.principal);

  server
    .tool('codex_app_list_windows', {
      description: 'List the windows: one for each working directory Codex was used in',
      annotations: LOOKS,
      task: 'never',
      prepare,
      run: async (_args, task) => toAnswer({ windows: toListing(await (await open(task)).read()) }),
    })
    .tool('codex_app_create_window', {
      description: 'Make the window of a working directory, or find the one it has',
      input: z.object({
        workingDirectory: z.string().min(1).optional().describe('An absolute path; without it that of the project'),
        name: z.string().min(1).max(200).optional(),
      }),
      annotations: { idempotentHint: true, destructiveHint: false, openWorldHint: false },
      task: 'never',
      prepare,
      async run({ workingDirectory, name }, task) {
        const { workingDirectory: byDefault } = task.prepared as { readonly workingDirectory: string | null };
        const directory = await findWorkingDirectory({}, app.work, workingDirectory ?? byDefault ?? undefined);
        const state = await open(task);
        const found = findWindow(await state.read(), directory);
        state.change(addWindow({ ...found, ...(name && { name }), options: toRunOptions(app.settings, directory) }));
        const window = toListing(await state.read()).find(({ id }) => id === found.id);
        return toAnswer({ window: window as Json });
      },
    })
    .tool('codex_app_window_logs', {
      description: 'Read what happened in a window, newest last',
      input: z.object({
        windowId,
        limit: z.number().int().min(1).max(2000).default(200).describe('How many entries at most'),
        after: z.number().int().min(0).optional().describe('Only entries of the last run with a higher seq'),
      }),
      annotations: LOOKS,
      task: 'never',
      prepare,
      async run({ windowId: id, limit, after }, task) {
        const state = await (await open(task)).read();
        await checkWindow(app, state, { id, principal: task.principal });
        return toAnswer(readLog(state, id, { limit, after }));
      },
    })
    .tool('codex_app_window_stop', {
      description: 'Stop the run that is under way in a window, or one run by the task id of its call',
      input: z.object({
        windowId: windowId.optional(),
        taskId: z.string().min(1).optional().describe('The task id of the call, or the id of the run'),
        all: z.boolean().default(false).describe('Also everything that waits in the window'),
      }),
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
      task: 'never',
      prepare,
      run: async (args, task) =>
        toAnswer({
          stopped: await stopRuns(app, await (await open(task)).read(), { ...args, principal: task.principal }),
        }),
    });
}

function toListing({ windows, runs, mcpTasks }: CodexState) {
  return windows.map((window) => ({
    ...toShown(window),
    queued: mcpTasks.filter(({ windowId: id, status }) => id === window.id && status === 'queued').length,
    lastRun: toLastRun(runs.findLast((run) => run.windowId === window.id)),
  }));
}

function toShown({ id, name, status, activeRunId, threadId, lastRunAt, ...rest }: CodexWindow) {
  const options = rest.lastRunOptions ?? rest.defaultRunOptions;
  const workingDirectory = options?.workingDirectory ?? '';
  return { id, name, status, workingDirectory, activeRunId, threadId, lastRunAt };
}

function toLastRun(run: CodexState['runs'][number] | undefined) {
  return run ? { id: run.id, status: run.status, startedAt: run.startedAt, finishedAt: run.finishedAt } : null;
}

interface LogQuery {
  readonly limit: number;
  readonly after: number | undefined;
}

function readLog({ windowLogs }: CodexState, id: string, { limit, after }: LogQuery) {
  const { events, lines } = windowLogs[id] ?? { events: [], lines: [] };
  const last = events.at(-1)?.runId;
  const isWanted = (entry: LogEntry) => after === undefined || (entry.runId === last && entry.seq > after);
  const wanted = events.flatMap((entry, at) => (isWanted(entry) ? [{ entry, line: lines[at] ?? '' }] : []));
  const shown = after === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
  return {
    windowId: id,
    runId: last ?? '',
    events: shown.map(({ entry }) => entry) as unknown as Json,
    lines: shown.map(({ line }) => line),
    lastSeq: shown.at(-1)?.entry.seq ?? after ?? 0,
  };
}

function toAnswer(value: { readonly [key: string]: Json }) {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
