/**
 * Prepares a call whose result comes through the prompt log, before it is sent: the host creates the task id, which is
 * sent in `_meta`, where the model does not see it.
 */
import type { CallHandle, JsonObject } from '../host-port.ts';
import type { AsyncTaskConfig } from '../shared/async-task.ts';
import { parseName } from '../shared/field.ts';
import { resolveInside } from './confine.ts';
import { type LogMark, takeMark } from './log/log-mark.ts';
import { isObject } from './wire.ts';

export interface UiPromptsHandle extends CallHandle {
  readonly dialect: 'ui-prompts';
  readonly taskId: string;
  readonly tool: string;
  readonly log: string;
  readonly requestIdPrefix: string;
  readonly pollIntervalMs: number;
  /** The `_meta` of the call, for its cancel. */
  readonly meta: JsonObject;
  readonly mark: LogMark;
  readonly taskStore?: string;
}

export interface UiPromptsCall {
  readonly tool: string;
  /** Created by the host, never used before. */
  readonly taskId: string;
  /** The server's `callMeta`, with what the host adds for this call. */
  readonly meta: JsonObject;
}

export interface UiPromptsPlace {
  /** The host's state directory; paths that a plugin names must be inside it. */
  readonly stateDir: string;
  /** Lets a plugin name any directory. @default false */
  readonly allowOutside?: boolean;
}

/** Returns the `_meta` to send, and the handle to store before it is sent. */
export async function prepareUiPrompts(
  config: AsyncTaskConfig,
  { tool, taskId, meta }: UiPromptsCall,
  place: UiPromptsPlace,
): Promise<{ readonly meta: JsonObject; readonly handle: UiPromptsHandle }> {
  const { allowOutside = false } = place;
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const uiApp = isObject(chatos.uiApp) ? chatos.uiApp : {};
  const inside = (root: string, path: string, field: string) =>
    resolveInside(root, path, { field, allowOutside, allowAbsolute: field.startsWith('_meta.') });
  const named = parseName('_meta.chatos.uiApp.stateDir', uiApp.stateDir, place.stateDir);
  const stateDir = await inside(place.stateDir, named, '_meta.chatos.uiApp.stateDir');
  const log = await inside(stateDir, config.uiPromptFile, 'asyncTask.uiPromptFile');
  const taskStore = await findTaskStore(config, { uiApp, stateDir }, inside);
  const sent = { ...meta, chatos: { ...chatos, uiApp: { ...uiApp, stateDir } }, [config.taskIdKey]: taskId };
  const { requestIdPrefix, pollIntervalMs } = config;
  const base = { dialect: 'ui-prompts', taskId, tool, log, requestIdPrefix, pollIntervalMs } as const;
  const full = { ...sent, stream: false };
  const store = taskStore !== undefined && { taskStore };
  return { meta: full, handle: { ...base, meta: full, mark: await takeMark(log), ...store } };
}

type Inside = (root: string, path: string, field: string) => Promise<string>;

async function findTaskStore(
  { stateFileName }: AsyncTaskConfig,
  { uiApp, stateDir }: { readonly uiApp: JsonObject; readonly stateDir: string },
  inside: Inside,
): Promise<string | undefined> {
  if (stateFileName === undefined || uiApp.dataDir === undefined) return undefined;
  const named = parseName('_meta.chatos.uiApp.dataDir', uiApp.dataDir);
  const dataDir = await inside(stateDir, named, '_meta.chatos.uiApp.dataDir');
  return inside(dataDir, stateFileName, 'asyncTask.stateFileName');
}
