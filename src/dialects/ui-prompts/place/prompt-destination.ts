/** Finds the log to which the end of a call is written. */

import { isTaskError, TaskError } from '../../../errors.ts';
import { invalidField } from '../../../invalid-field.ts';
import type { IncomingCall, ServerPort, ToolCall } from '../../server-port.ts';
import type { AsyncTaskConfig } from '../../shared/async-task.ts';
import { openInside, resolveInside } from '../confine.ts';
import { checkLogFile } from '../log/log-guard.ts';
import { toOwnLogDirectory } from '../log/own-log.ts';
import { ensureRealDirectory, type PromptDestination } from '../server.ts';
import { isObject } from '../wire.ts';
import { claimFile } from './prompt-owner.ts';
import { openNamed, outsideError } from './prompt-roots.ts';

/** Finds where to write the end of a call that is answered in another dialect. */
export async function findPromptDestination(
  port: ServerPort,
  call: ToolCall,
  config: AsyncTaskConfig,
): Promise<PromptDestination> {
  // No host waits for the result there: an unusable directory is no reason to reject the call.
  return resolvePromptDestination(port, call, { config }).catch((error: unknown) => {
    if (isTaskError(error, 'INVALID_ARGUMENT'))
      return resolvePromptDestination(port, { ...call, meta: {} }, { config });
    throw error;
  });
}

interface Wanted {
  readonly config: AsyncTaskConfig;
  /** The id that the host gave, if any. */
  readonly taskId?: string;
}

/**
 * Returns where the end of a call is written: in the directory that it names, inside the roots that the owner chose,
 * otherwise in the principal's own. Throws `INVALID_ARGUMENT` when it cannot be written where the call says.
 */
export async function resolvePromptDestination(
  port: ServerPort,
  call: ToolCall,
  { config, taskId }: Wanted,
): Promise<PromptDestination> {
  const { stateDir, dataDir } = readDirectories(call);
  const log =
    stateDir === undefined ? await toOwnLog(port, call, config) : await toNamedLog(port, call, { stateDir, config });
  const store = await findStore(port, call, { dataDir, config });
  return {
    ...(taskId !== undefined && { taskId }),
    log,
    isReal: true,
    ...(store !== undefined && { store }),
    ...(store !== undefined && call.tool.prompts?.ownStore && { ownStore: true }),
  };
}

function readDirectories({ meta }: IncomingCall): { readonly stateDir?: string; readonly dataDir?: string } {
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const { stateDir, dataDir } = isObject(chatos.uiApp) ? chatos.uiApp : {};
  if (stateDir !== undefined && typeof stateDir !== 'string') throw outsideError('stateDir', stateDir);
  return { ...(stateDir && { stateDir }), ...(typeof dataDir === 'string' && dataDir !== '' && { dataDir }) };
}

async function toOwnLog(
  port: ServerPort,
  { caller }: IncomingCall,
  { uiPromptFile }: AsyncTaskConfig,
): Promise<string> {
  const { directory } = await port.openEngine();
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

async function toNamedLog(port: ServerPort, call: ToolCall, { stateDir, config }: NamedLog): Promise<string> {
  const directory = await openNamed(port, call, stateDir);
  if (directory === undefined) throw outsideError('stateDir', stateDir);
  const log = await checkedLog(directory, config).catch((cause: unknown) => {
    const text = `nothing can be written to the log in _meta.chatos.uiApp.stateDir: ${(cause as Error).message}`;
    throw new TaskError('INVALID_ARGUMENT', text, { cause });
  });
  if (await claim(port, call, log)) return log;
  throw invalidField('_meta.chatos.uiApp.stateDir', stateDir, 'a directory whose log no other principal uses');
}

async function checkedLog(directory: string, { uiPromptFile }: AsyncTaskConfig): Promise<string> {
  const log = await resolveInside(directory, uiPromptFile, { field: 'asyncTask.uiPromptFile' });
  await ensureRealDirectory(log);
  await checkLogFile(log);
  return log;
}

/** The task store only informs: one that cannot be used is left out. */
async function findStore(
  port: ServerPort,
  call: ToolCall,
  { dataDir, config }: { readonly dataDir: string | undefined; readonly config: AsyncTaskConfig },
): Promise<string | undefined> {
  if (dataDir === undefined || config.stateFileName === undefined) return undefined;
  const directory = await openNamed(port, call, dataDir);
  if (directory === undefined) return undefined;
  const store = await resolveInside(directory, config.stateFileName, { field: 'asyncTask.stateFileName' });
  return (await claim(port, call, store)) ? store : undefined;
}

async function claim(port: ServerPort, { caller }: IncomingCall, file: string): Promise<boolean> {
  const { directory } = await port.openEngine();
  return claimFile({ file, principal: caller.principal, directory, clock: port.clock });
}
