/** Which calls end in a result prompt, and in which log. */
import { homedir } from 'node:os';
import { type AsyncTaskConfig, findAsyncTask } from '../dialects/ui-prompts/async-task.ts';
import { resolveInside } from '../dialects/ui-prompts/confine.ts';
import type { PromptPlace } from '../dialects/ui-prompts/server.ts';
import { isObject } from '../dialects/ui-prompts/wire.ts';
import { TaskError } from '../errors.ts';
import type { IncomingCall } from './caller.ts';
import type { ServerParts } from './server-parts.ts';
import type { ParsedServerTool } from './server-tool.ts';

/** How the call is to be answered through the log; nothing when it is not. */
export function findPromptConfig(
  { settings }: ServerParts,
  { name, prompts }: ParsedServerTool,
  { meta }: IncomingCall,
): AsyncTaskConfig | undefined {
  const config = toOwners(findAsyncTask(meta as never, name), prompts);
  if (!config || !prompts?.isOptional || settings.requireTaskId) return config;
  const isOfContract = [config.taskIdKey, 'chatos', 'asyncTask'].some((key) => meta[key] !== undefined);
  return isOfContract ? config : undefined;
}

/** Where the end of a call is told that is answered in another form; nothing when nobody wants it told there. */
export async function findPromptPlace(parts: ServerParts, call: IncomingCall): Promise<PromptPlace | undefined> {
  const prompts = parts.tools.get(call.name)?.prompts;
  return prompts?.promptAlways ? toPromptPlace(parts, call, { config: prompts }) : undefined;
}

interface Wanted {
  readonly config: AsyncTaskConfig;
  /** As the host gave it, if it did. */
  readonly taskId?: string;
}

/** A client's directory counts only inside the roots that the owner chose; else the server's own is used. */
export async function toPromptPlace(
  parts: ServerParts,
  { meta, name }: IncomingCall,
  { config, taskId }: Wanted,
): Promise<PromptPlace> {
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const uiApp = isObject(chatos.uiApp) ? chatos.uiApp : {};
  const { directory } = await parts.openEngine();
  const stateDir = (await findInside(parts, uiApp.stateDir)) ?? directory;
  if (stateDir === undefined) {
    throw new TaskError(
      'INVALID_ARGUMENT',
      '_meta.chatos.uiApp.stateDir is not in promptRoots, and the store has no place on disk',
    );
  }
  const log = await resolveInside(stateDir, config.uiPromptFile, { field: 'asyncTask.uiPromptFile' });
  const dataDir = await findInside(parts, uiApp.dataDir);
  const { stateFileName } = config;
  const named = { ...(taskId !== undefined && { taskId }), log };
  if (dataDir === undefined || stateFileName === undefined) return named;
  const store = await resolveInside(dataDir, stateFileName, { field: 'asyncTask.stateFileName' });
  return { ...named, store, ...(parts.tools.get(name)?.prompts?.ownStore && { ownStore: true }) };
}

/** A host says how it finds results; where the app keeps its task store is the owner's affair unless it says that too. */
function toOwners(asked: AsyncTaskConfig | undefined, prompts: AsyncTaskConfig | undefined) {
  return asked && prompts ? { ...prompts, ...asked } : (asked ?? prompts);
}

async function findInside({ settings }: ServerParts, path: unknown): Promise<string | undefined> {
  if (typeof path !== 'string' || path === '') return undefined;
  for (const root of settings.promptRoots ?? [homedir()]) {
    const inside = resolveInside(root, path, { field: 'stateDir', allowAbsolute: true });
    const found = await inside.catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}
