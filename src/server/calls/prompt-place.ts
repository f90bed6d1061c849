/** Which calls end in a result prompt, and in which log. */
import { type AsyncTaskConfig, findAsyncTask } from '../../dialects/ui-prompts/async-task.ts';
import { openInside, resolveInside } from '../../dialects/ui-prompts/confine.ts';
import { toFieldError } from '../../dialects/ui-prompts/field.ts';
import { checkLogFile } from '../../dialects/ui-prompts/log/log-guard.ts';
import { toOwnLogDirectory } from '../../dialects/ui-prompts/log/own-log.ts';
import { checkWay, type PromptPlace } from '../../dialects/ui-prompts/server.ts';
import { isObject } from '../../dialects/ui-prompts/wire.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool } from '../tools/server-tool.ts';
import type { IncomingCall } from './caller.ts';
import { claimFile } from './prompt-owner.ts';
import { openNamed, toOutside } from './prompt-roots.ts';

/**
 * How the call is to be answered through the log; nothing when it is not.
 *
 * The owner says which tools are, and what the files are called. A call says where its id stands. One whose host would
 * wait for a result that is never written there is refused: any answer would be taken for an acknowledgement.
 */
export function findPromptConfig(
  { settings }: ServerParts,
  { name, prompts }: ParsedServerTool,
  { meta }: IncomingCall,
): AsyncTaskConfig | undefined {
  const asked = findAsyncTask(meta as never, name);
  if (!prompts) {
    if (asked) throw toNotSwitchedOn(name);
    return undefined;
  }
  const { uiPromptFile, takes } = prompts;
  if (asked && asked.uiPromptFile !== uiPromptFile) {
    const expected = `${JSON.stringify(uiPromptFile)}, as the owner of the server named it`;
    throw toFieldError('_meta.asyncTask.uiPromptFile', asked.uiPromptFile, expected);
  }
  const config = { ...prompts, ...(asked && { taskIdKey: asked.taskIdKey }) };
  if (takes === 'all' || settings.requireTaskId) return config;
  if (takes === 'asked') return asked && config;
  const isOfContract = [config.taskIdKey, 'chatos', 'asyncTask'].some((key) => meta[key] !== undefined);
  return isOfContract ? config : undefined;
}

/** Where the end of a call is told that is answered in another form; nothing when nobody wants it told there. */
export async function findPromptPlace(parts: ServerParts, call: IncomingCall): Promise<PromptPlace | undefined> {
  const prompts = parts.tools.get(call.name)?.prompts;
  if (!prompts?.promptAlways) return undefined;
  const own = () => toPromptPlace(parts, { ...call, meta: {} }, { config: prompts });
  // Nobody waits for it there: a directory that cannot be used is no reason to refuse the call.
  return toPromptPlace(parts, call, { config: prompts }).catch((error: unknown) => {
    if (isTaskError(error, 'INVALID_ARGUMENT')) return own();
    throw error;
  });
}

interface Wanted {
  readonly config: AsyncTaskConfig;
  /** As the host gave it, if it did. */
  readonly taskId?: string;
}

/**
 * Where the end of a call is told: in the directory that it names, inside the roots that the owner chose, else in the
 * principal's own. Throws `INVALID_ARGUMENT` when it cannot be told where the call says.
 */
export async function toPromptPlace(
  parts: ServerParts,
  call: IncomingCall,
  { config, taskId }: Wanted,
): Promise<PromptPlace> {
  const { stateDir, dataDir } = readDirectories(call);
  const log =
    stateDir === undefined ? await toOwnLog(parts, call, config) : await toNamedLog(parts, call, { stateDir, config });
  const store = await findStore(parts, call, { dataDir, config });
  return {
    ...(taskId !== undefined && { taskId }),
    log,
    isReal: true,
    ...(store !== undefined && { store }),
    ...(store !== undefined && parts.tools.get(call.name)?.prompts?.ownStore && { ownStore: true }),
  };
}

function readDirectories({ meta }: IncomingCall): { readonly stateDir?: string; readonly dataDir?: string } {
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const { stateDir, dataDir } = isObject(chatos.uiApp) ? chatos.uiApp : {};
  if (stateDir !== undefined && typeof stateDir !== 'string') throw toOutside('stateDir', stateDir);
  return { ...(stateDir && { stateDir }), ...(typeof dataDir === 'string' && dataDir !== '' && { dataDir }) };
}

async function toOwnLog(
  parts: ServerParts,
  { caller }: IncomingCall,
  { uiPromptFile }: AsyncTaskConfig,
): Promise<string> {
  const { directory } = await parts.openEngine();
  if (directory === undefined) {
    const text = '_meta.chatos.uiApp.stateDir is missing, and the store has no place on disk';
    throw new TaskError('INVALID_ARGUMENT', text);
  }
  const own = await openInside(toOwnLogDirectory(directory, caller.principal), { roots: [directory] });
  if (own === undefined) throw new Error(`${directory} leads elsewhere than it did a moment ago`);
  return resolveInside(own, uiPromptFile, { field: 'asyncTask.uiPromptFile' });
}

interface NamedLog {
  readonly stateDir: string;
  readonly config: AsyncTaskConfig;
}

async function toNamedLog(parts: ServerParts, call: IncomingCall, { stateDir, config }: NamedLog): Promise<string> {
  const directory = await openNamed(parts, call, stateDir);
  if (directory === undefined) throw toOutside('stateDir', stateDir);
  const log = await checkedLog(directory, config).catch((cause: unknown) => {
    const text = `nothing can be written to the log in _meta.chatos.uiApp.stateDir: ${(cause as Error).message}`;
    throw new TaskError('INVALID_ARGUMENT', text, { cause });
  });
  if (await claim(parts, call, log)) return log;
  throw toFieldError('_meta.chatos.uiApp.stateDir', stateDir, 'a directory whose log no other principal uses');
}

async function checkedLog(directory: string, { uiPromptFile }: AsyncTaskConfig): Promise<string> {
  const log = await resolveInside(directory, uiPromptFile, { field: 'asyncTask.uiPromptFile' });
  await checkWay(log);
  await checkLogFile(log);
  return log;
}

/** The task store is there to be looked at: one that cannot be had is left out. */
async function findStore(
  parts: ServerParts,
  call: IncomingCall,
  { dataDir, config }: { readonly dataDir: string | undefined; readonly config: AsyncTaskConfig },
): Promise<string | undefined> {
  if (dataDir === undefined || config.stateFileName === undefined) return undefined;
  const directory = await openNamed(parts, call, dataDir);
  if (directory === undefined) return undefined;
  const store = await resolveInside(directory, config.stateFileName, { field: 'asyncTask.stateFileName' });
  return (await claim(parts, call, store)) ? store : undefined;
}

async function claim(parts: ServerParts, { caller }: IncomingCall, file: string): Promise<boolean> {
  const { directory } = await parts.openEngine();
  return claimFile({ file, principal: caller.principal, directory, clock: parts.clock });
}

function toNotSwitchedOn(tool: string): TaskError {
  const text = `_meta.asyncTask covers the tool ${tool}, which does not answer through the log of prompts`;
  return new TaskError('INVALID_ARGUMENT', `${text}; its owner switches that on with asyncTask`);
}
