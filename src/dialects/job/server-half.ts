/** Calls that are answered at once with a job id; progress and the result follow as notifications. */
import { toValueText } from '../../text/value-text.ts';
import type { ServerDialect } from '../server-dialect.ts';
import type { Caller, ServerPort, ToolCall } from '../server-port.ts';
import { toDeliveryMark } from '../shared/following/delivery-mark.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import type { ToolResult } from '../shared/outcomes/wire-outcome.ts';
import { JobFollower } from './follower.ts';
import { toJobChannel } from './job-channel.ts';
import { isSessionJob } from './session-jobs.ts';
import { JOB_META, toDirectReport, toStage1, toStage1Result } from './wire.ts';

const NAME = 'job';

export const jobServer: ServerDialect = {
  name: NAME,

  takes({ meta, caller }, port) {
    const asked = meta[JOB_META];
    if (asked === true || asked === 'bare') return 'asked';
    if (asked === undefined) return takesPlainCalls(caller, port) ? 'default' : undefined;
    if (asked === false) return undefined;
    throw invalidParams(`_meta["${JOB_META}"] is ${toValueText(asked)}; expected true, false or "bare"`);
  },

  async answer(call, port) {
    const { task, hold } = await call.submit({ dialect: NAME, options: toDeliveryMark(call.caller) });
    await hold?.handOver();
    call.channel.follow(NAME, task);
    const report = toStage1(task);
    if (isBare(call, port)) return { ...report };
    // A client that was shown an output schema accepts only an error without matching content.
    const isError = call.tool.parseOutput !== undefined && !hidesOutputSchemas(call.caller, port);
    return { ...toStage1Result(report), ...(isError && { isError }) };
  },

  /** A client that gets jobs as bare objects knows no other form for an immediate answer. */
  toDirectAnswer(result, call, port) {
    const isReported = isBare(call, port) && 'content' in result;
    return isReported ? { ...toDirectReport(call.name, result as ToolResult) } : result;
  },

  toListing(listing, { caller, tool }, port) {
    if (!tool || tool.taskMode === 'never') return listing;
    const { outputSchema, ...bare } = listing;
    return { ...(hidesOutputSchemas(caller, port) ? (bare as typeof listing) : listing), async: true };
  },

  createFollower({ connection, engine, report }, { clock, settings }) {
    const { sessionId } = connection;
    const errorDetails = settings.errorDetails ?? connection.isLocal === true;
    const line = toJobChannel({ engine, clock }, connection);
    const jobs = new JobFollower({ engine, line, errorDetails, report });
    return {
      follow: (task) => jobs.follow(task),
      resume(task) {
        if (sessionId !== undefined && isSessionJob(task, sessionId)) jobs.resume(task);
      },
      close: () => jobs.close(),
    };
  },
};

/** The first answer of a job has another schema, and clients reject what does not match the schema they were shown. */
function hidesOutputSchemas(caller: Caller, port: ServerPort): boolean {
  return !caller.declaresTasks && takesPlainCalls(caller, port);
}

/** Whether a client gets jobs for plain calls that neither ask for one nor declare anything. */
function takesPlainCalls(caller: Caller, port: ServerPort): boolean {
  if (port.settings.jobs === 'always') return true;
  const { jobs, bareJobs } = port.findProfile(caller);
  return jobs === true || bareJobs === true;
}

/** Whether a job is answered with the bare object. */
function isBare({ meta, caller }: ToolCall, port: ServerPort): boolean {
  return meta[JOB_META] === 'bare' || port.settings.bareJobs || port.findProfile(caller).bareJobs === true;
}
