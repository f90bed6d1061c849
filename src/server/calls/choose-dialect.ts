/**
 * Which form the answer to a call takes. Decided once, in this order: what the call itself asks, a task it asks for
 * (2025-11-25), what its client declares (2026-07-28), what the tool's and the server's owners chose, what is known of
 * the client; else the call is held.
 */
import { JOB_META } from '../../dialects/job/wire.ts';
import { STREAM_META } from '../../dialects/stream/wire.ts';
import { readTaskId } from '../../dialects/ui-prompts/server.ts';
import { toValueText } from '../../engine/value-text.ts';
import { findProfile } from '../clients/profiles.ts';
import { invalidParams } from '../sdk/rpc-error.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool } from '../tools/server-tool.ts';
import type { Caller, IncomingCall } from './caller.ts';
import { findPromptConfig } from './prompt-place.ts';

export type DialectName = 'tasks-2025' | 'tasks-2026' | 'ui-prompts' | 'stream' | 'job' | 'held';

export function chooseDialect(parts: ServerParts, tool: ParsedServerTool, call: IncomingCall): DialectName {
  const prompts = findPromptConfig(parts, tool, call);
  if (prompts) {
    // Before anything is made of the call: without an id nobody would find its outcome.
    readTaskId(call.meta, prompts.taskIdKey);
    return 'ui-prompts';
  }
  const asked = call.meta[JOB_META];
  if (asked !== undefined && typeof asked !== 'boolean' && asked !== 'bare') {
    throw invalidParams(`_meta["${JOB_META}"] is ${toValueText(asked)}; expected true, false or "bare"`);
  }
  const streams = readStreaming(tool, call);
  if (streams === 'asked') return 'stream';
  if (asked === true || asked === 'bare') return 'job';
  if (call.task !== undefined) return 'tasks-2025';
  if (call.caller.declaresTasks) return 'tasks-2026';
  if (streams === 'default') return 'stream';
  return asked === false ? 'held' : toPlainDialect(parts, call.caller);
}

/** Whether the call asks for a stream, or gets one when it asks for nothing else; nothing where there is no stream. */
function readStreaming(
  { taskMode, stream }: ParsedServerTool,
  { meta, caller }: IncomingCall,
): 'asked' | 'default' | undefined {
  if (stream.calls === 'none') return undefined;
  const asked = meta[STREAM_META];
  if (asked !== undefined && typeof asked !== 'boolean') {
    throw invalidParams(`_meta.${STREAM_META} is ${toValueText(asked)}; expected true or false`);
  }
  if (asked === false || !caller.acceptsNotifications || taskMode === 'never') return undefined;
  if (asked === true) return 'asked';
  return stream.calls === 'default' ? 'default' : undefined;
}

/** The first answer of a job is of another schema, and clients refuse what does not fit the one they were shown. */
export function hidesOutputSchemas(parts: ServerParts, caller: Caller): boolean {
  return !caller.declaresTasks && toPlainDialect(parts, caller) === 'job';
}

/** The same for a tool whose plain calls are streamed. */
export function hidesOutputSchema(
  { stream }: ParsedServerTool,
  { declaresTasks, acceptsNotifications }: Caller,
): boolean {
  return !declaresTasks && acceptsNotifications && stream.calls === 'default';
}

/** What a client gets that asks for nothing and declares nothing. */
function toPlainDialect(parts: ServerParts, { client }: Caller): 'job' | 'held' {
  const { jobs, bareJobs } = findProfile(parts.profiles(), client?.name);
  return parts.settings.jobs === 'always' || jobs === true || bareJobs === true ? 'job' : 'held';
}

/** Whether a call that has the form of a job is answered with the bare object. */
export function isBareJob(parts: ServerParts, { meta, caller }: IncomingCall): boolean {
  if (meta[JOB_META] === 'bare' || parts.settings.bareJobs) return true;
  return findProfile(parts.profiles(), caller.client?.name).bareJobs === true;
}
