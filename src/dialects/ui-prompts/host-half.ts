/**
 * Calls whose results come through the prompt log, for hosts.
 *
 * Their handle is known before they are sent: the host creates the task id. The parts that read the log are loaded by
 * the first call that needs them.
 */
import { TaskError } from '../../errors.ts';
import type { DressedCall, HostDialect, HostPlace, NewDialectCall } from '../host-dialect.ts';
import type { CallHandle, CallOutcome, HostPort, JsonObject } from '../host-port.ts';
import type { UiPromptsHandle } from './host-prepare.ts';
import { STATE_ROOT_VARIABLE } from './state-root.ts';

interface SentHandle extends UiPromptsHandle {
  readonly isAcked: boolean;
}

export const uiPromptsHost: HostDialect<SentHandle> = {
  name: 'ui-prompts',
  resolveSpec(spec, place) {
    if (!('pluginDir' in spec)) return undefined;
    return import('./plugin-spec.ts').then(({ resolvePlugin }) => resolvePlugin(spec, place));
  },
  /** Passes the host's state directory to the app, which writes to no directory that its owner did not name. */
  serverEnv({ callMeta }, { stateDir }) {
    const isAsked = (callMeta as JsonObject | undefined)?.asyncTask !== undefined;
    return isAsked && stateDir !== undefined ? { [STATE_ROOT_VARIABLE]: stateDir } : undefined;
  },
  prepare: (call, place) => (call.meta.asyncTask === undefined ? undefined : prepare(call, place)),
  // Any answer without an error acknowledges the call, whatever its shape.
  read: ({ handle, result }) => (result.isError === true ? undefined : (handle as SentHandle | undefined)),
  follow: followSent,
  cancel: async (handle, port) => (await import('../shared/cancel-tool.ts')).cancelByTool(handle, port),
  explain: async (handle) => (await import('./host-follow.ts')).explainUiPrompts(handle),
};

// How long the log is searched for a call that may not have been delivered.
const LOOK_UP_MS = 60_000;

async function prepare(call: NewDialectCall, place: HostPlace): Promise<DressedCall | undefined> {
  const [{ findAsyncTask }, { prepareUiPrompts }] = await Promise.all([
    import('../shared/async-task.ts'),
    import('./host-prepare.ts'),
  ]);
  const { callId: taskId, tool, meta } = call;
  const { stateDir, allowOutside } = place;
  const config = findAsyncTask(meta, tool);
  if (!config) return undefined;
  if (stateDir === undefined) {
    throw new TaskError('INVALID_ARGUMENT', `tool ${tool} answers through a log of prompts: stateDir must be set`);
  }
  return prepareUiPrompts(config, { tool, taskId, meta }, { stateDir, allowOutside });
}

/** Waits for the result; for a call that may not have been delivered, only for a limited time. */
export async function followSent(handle: CallHandle, port: HostPort): Promise<CallOutcome> {
  const { explainUiPrompts, followUiPrompts } = await import('./host-follow.ts');
  const { isAcked, ...known } = handle as SentHandle;
  if (isAcked) return followUiPrompts(known as UiPromptsHandle, port);
  const late = new AbortController();
  const stopTimer = port.clock.after(LOOK_UP_MS, () => late.abort());
  try {
    const signal = AbortSignal.any([port.signal, late.signal]);
    return await followUiPrompts(known as UiPromptsHandle, { ...port, signal });
  } catch (error) {
    if (!late.signal.aborted || port.signal.aborted) throw error;
    const lost = 'outcome unknown: the line was lost before the app acknowledged the call';
    return { kind: 'interrupted', reason: `${lost}, and ${await explainUiPrompts(known as UiPromptsHandle)}` };
  } finally {
    stopTimer();
  }
}
