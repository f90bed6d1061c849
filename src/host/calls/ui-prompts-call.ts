/**
 * Calls whose results come through the log of prompts.
 *
 * Their handle is known before they are sent: the host makes the id. So it is on disk with the call, and says whether the
 * app has acknowledged it.
 */
import type { CallOutcome, HostPort, JsonObject, Reply } from '../../dialects/host-port.ts';
import { findAsyncTask } from '../../dialects/shared/async-task.ts';
import {
  explainUiPrompts,
  followUiPrompts,
  prepareUiPrompts,
  readAck,
  type UiPromptsHandle,
} from '../../dialects/ui-prompts/host.ts';
import { STATE_ROOT_VARIABLE } from '../../dialects/ui-prompts/state-root.ts';
import { TaskError } from '../../errors.ts';
import type { HostSettings } from '../host-options.ts';
import type { CallHandle, CallRecord } from '../ledger/contract.ts';
import { isHoldfast, type ServerConnection } from '../servers/server-connection.ts';
import type { ServerSpec } from '../servers/server-spec.ts';
import { afterFailure, pauseFor, whenReached } from '../servers/wait-for-server.ts';
import { isUndecided } from '../undecided.ts';
import type { Interpreted, SentCall } from './call-sending.ts';

interface SentHandle extends UiPromptsHandle {
  readonly isAcked: boolean;
}

// How long a call that may never have arrived is looked for in the log.
const LOOK_UP_MS = 60_000;

/** The record of a call as it is written down; with its handle when its result comes through the log. */
export async function withUiPrompts(
  record: CallRecord,
  callMeta: JsonObject | undefined,
  { stateDir, allowOutside }: Pick<HostSettings, 'stateDir' | 'allowOutside'>,
): Promise<CallRecord> {
  const meta = { ...callMeta, ...record.meta };
  const config = findAsyncTask(meta, record.tool);
  if (!config) return Object.keys(meta).length > 0 ? { ...record, meta } : record;
  if (stateDir === undefined) {
    throw new TaskError(
      'INVALID_ARGUMENT',
      `tool ${record.tool} answers through a log of prompts: stateDir must be set`,
    );
  }
  const call = { tool: record.tool, taskId: record.callId, meta };
  const prepared = await prepareUiPrompts(config, call, { stateDir, allowOutside });
  return { ...record, meta: prepared.meta, handle: { ...prepared.handle, isAcked: false } };
}

/**
 * How an app is started whose results come through the log: it is told where this host keeps its state, because the app
 * writes to no place that its owner did not give.
 */
export function withStateRoot(spec: ServerSpec, { stateDir }: Pick<HostSettings, 'stateDir'>): ServerSpec {
  if (!('command' in spec) || stateDir === undefined || spec.callMeta?.asyncTask === undefined) return spec;
  return { ...spec, env: { [STATE_ROOT_VARIABLE]: stateDir, ...spec.env } };
}

/** Whether a handle says that its call has still to be sent. */
export function isUnsent(handle: CallHandle | undefined): handle is SentHandle {
  return handle?.dialect === 'ui-prompts' && handle.isAcked === false;
}

/** Sends such a call. One that may have arrived is sent again only to those who take it for the same. */
export async function sendUiPrompts(call: SentCall, handle: SentHandle): Promise<Interpreted> {
  let { isRepeat } = call;
  for (;;) {
    const { link, signal, absence } = call;
    const line = isRepeat
      ? await link.patientConnection(signal, (error) => absence.failed(error))
      : await whenReached(call, () => link.connection(signal));
    if (isRepeat && !isHoldfast(line)) return { kind: 'handle', handle };
    try {
      await call.mark.goes();
      const reply = await exchange(call, line, handle);
      if (!isHoldfast(line) || !isUndecided(reply, isRepeat)) return interpret(reply, handle);
      await pauseFor(call, new Error(reply.error.message));
      isRepeat = true;
    } catch (error) {
      isRepeat = await afterFailure(call, error, isRepeat);
    }
  }
}

/** Waits for the result; of a call that may never have arrived only for a time. */
export async function followSent(handle: CallHandle, port: HostPort): Promise<CallOutcome> {
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

function exchange({ record, signal, onLeft }: SentCall, line: ServerConnection, handle: SentHandle): Promise<Reply> {
  const params = { name: record.tool, arguments: record.args, _meta: record.meta ?? {} };
  return line.request('tools/call', params, {
    signal,
    onLeft: (late) => onLeft(late.then((reply) => reply && interpret(reply, handle))),
  });
}

function interpret(reply: Reply, handle: SentHandle): Interpreted {
  const outcome = readAck(reply);
  return outcome ? { kind: 'outcome', outcome } : { kind: 'handle', handle: { ...handle, isAcked: true } };
}
