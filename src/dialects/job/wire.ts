/**
 * Two-stage jobs: the call is answered at once with an id and an estimate; progress and the result follow as
 * notifications that name the job.
 */
import { isObject } from '../../is-object.ts';
import { toRemainingMs } from '../../task/estimate.ts';
import type { Json } from '../../task/json.ts';
import type { OutcomeError } from '../../task/outcome.ts';
import type { QuestionRequest } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { type ToolResult, toWireOutcome } from '../shared/outcomes/wire-outcome.ts';

export { JOB_PROGRESS, JOB_RESULT } from './notification-names.ts';

/** The `_meta` key by which a call asks for a job: `true`, or `'bare'` for an answer that is only the object. */
export const JOB_META = 'holdfast/job';

export interface JobMessage {
  readonly type: 'error' | 'warning' | 'info' | 'status' | 'success';
  readonly text: string;
  readonly details?: string;
}

/** The common shape of all answers. */
export interface JobReport {
  readonly success: boolean;
  readonly data: { readonly [key: string]: Json };
  readonly messages: readonly JobMessage[];
}

// A job must have an estimate; this one is for a tool that has never run and declares none.
const ASSUMED_MS = 60_000;

/** Returns the first answer, which names the job. */
export function toStage1(task: Task): JobReport {
  const estimateMs = task.estimateMs ?? ASSUMED_MS;
  const status = task.status === 'queued' ? 'queued' : 'running';
  const estimate = `Estimated runtime: ${toSeconds(estimateMs)}s`;
  const text = task.estimateMs === undefined ? `${estimate} (assumed)` : estimate;
  return {
    success: true,
    data: { job_id: task.taskId, estimated_runtime_seconds: toSeconds(estimateMs), status },
    messages: [{ type: 'info', text: `Operation ${status}. ${text}` }],
  };
}

/** Returns the first answer as a tool result. */
export function toStage1Result(report: JobReport): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(report) }], structuredContent: report as unknown as Json };
}

export interface JobProgress {
  /** 0..1 */
  readonly value: number;
  readonly message?: string;
  readonly at: number;
}

/** Returns the params of a progress notification. */
export function toJobProgress(task: Task, { value, message, at }: JobProgress): { readonly [key: string]: Json } {
  const remainingMs = toRemainingMs({ ...task, progress: { value } }, at);
  return {
    job_id: task.taskId,
    progress: value,
    ...(message !== undefined && { message }),
    ...(remainingMs !== undefined && { estimated_remaining_seconds: toSeconds(remainingMs) }),
    timestamp: new Date(at).toISOString(),
  };
}

/** Returns the progress message of a job that waits for an answer, which does not come through the job dialect. */
export function toQuestionText(request: QuestionRequest): string {
  const isForPeople = request.kind === 'form' || request.kind === 'url';
  return `Waits for an answer: ${isForPeople ? request.message : request.kind}`;
}

export interface ReportOptions {
  /** Whether a failure includes its stack trace. */
  readonly errorDetails: boolean;
}

/** Returns the params of the result notification. */
export function toJobResult(task: Task, options: ReportOptions): { readonly [key: string]: Json } {
  return {
    job_id: task.taskId,
    result: toReport(task, options) as unknown as Json,
    timestamp: new Date(task.endedAt ?? task.updatedAt).toISOString(),
  };
}

function toReport(task: Task, options: ReportOptions): JobReport {
  const ending = toWireOutcome(task);
  switch (ending.kind) {
    case 'result':
      return ending.isError
        ? toToolFailure(task.tool, ending.result, (text) => withStack(text, task, options))
        : toSuccess(task.tool, ending.result);
    case 'error':
      return toFailure(ending.error.message, { details: withStack(ending.error.message, task, options) });
    case 'cancelled':
      return toFailure(`Cancelled: ${ending.reason}`);
    case 'expired':
      return toFailure(`Expired: ${ending.reason}`);
    case 'running':
      throw new Error(`task ${task.taskId} has not ended`);
  }
}

/** Returns the answer of a tool that is not a job, for clients that know only the bare object. */
export function toDirectReport(tool: string, result: ToolResult): JobReport {
  return result.isError === true ? toToolFailure(tool, result, (text) => text) : toSuccess(tool, result);
}

/** A tool that returns a report itself has it passed on unchanged. */
function toSuccess(tool: string, result: ToolResult): JobReport {
  const { structuredContent } = result;
  if (isReport(structuredContent)) return structuredContent;
  const data = isObject<Json>(structuredContent) ? structuredContent : toContentData(result);
  return { success: true, data, messages: [{ type: 'success', text: `${tool} completed` }] };
}

function toContentData({ content = [], structuredContent }: ToolResult): { [key: string]: Json } {
  return { content, ...(structuredContent !== undefined && { structuredContent }) };
}

function toToolFailure(tool: string, result: ToolResult, toDetails: (text: string) => string): JobReport {
  const { structuredContent, content } = result;
  if (isReport(structuredContent)) return { ...(structuredContent as JobReport), success: false };
  const texts = Array.isArray(content) ? content.map((part) => (isObject<Json>(part) ? part.text : undefined)) : [];
  const text = texts.filter((one) => typeof one === 'string').join('\n') || `${tool} failed`;
  return toFailure(text, { details: toDetails(text) });
}

function toFailure(text: string, { details }: { readonly details?: string } = {}): JobReport {
  const [first = ''] = text.split('\n');
  const message: JobMessage = { type: 'error', text: first, ...(details !== undefined && { details }) };
  return { success: false, data: {}, messages: [message] };
}

function withStack(text: string, { outcome }: Task, { errorDetails }: ReportOptions): string {
  const error: OutcomeError | undefined = outcome?.kind === 'error' ? outcome.error : undefined;
  if (!errorDetails || error?.stack === undefined) return text;
  // Most stacks begin with the text.
  return error.stack.includes(text) ? error.stack : `${text}\n${error.stack}`;
}

function isReport(value: Json | undefined): value is Json & JobReport {
  return (
    isObject<Json>(value) &&
    typeof value.success === 'boolean' &&
    isObject<Json>(value.data) &&
    Array.isArray(value.messages)
  );
}

/** Rounded up, so that no duration is reported as zero. */
function toSeconds(ms: number): number {
  return Math.ceil(ms / 100) / 10;
}
