import { isObject } from '../../is-object.ts';
/**
 * Probes of a server besides the measured calls: whether it survives a malformed message, and whether it reports that an
 * unfinished task has not ended.
 */
import { type Answer, cut, type JsonObject } from './peers/connection.ts';
import type { Session } from './peers/session.ts';
import type { ToolCall } from './workload.ts';

/** Result of the probe of an unfinished task, with the field names of a report. */
export interface TaskResultProbe {
  readonly enabled: boolean;
  readonly expected_error_code: string;
  readonly requested_wait: boolean;
  readonly task_worker_start_delay_ms: number;
  readonly observed_error_code: string | null;
  readonly observed_retryable_nonterminal_error: boolean | null;
  readonly task_id?: string | null;
  /** In the era without `tasks/result`: the status from `tasks/get`. */
  readonly observed_status?: string;
  readonly failure?: string;
  readonly returned_terminal_result?: boolean;
}

const NOT_READY = '-32002';

export function toUnusedProbe(enabled: boolean, delayMs: number): TaskResultProbe {
  return {
    enabled,
    expected_error_code: NOT_READY,
    requested_wait: false,
    task_worker_start_delay_ms: delayMs,
    observed_error_code: null,
    observed_retryable_nonterminal_error: null,
  };
}

/** Sends a malformed message, then a ping. Returns whether the server still responds. */
export async function probeMalformed(session: Session): Promise<boolean> {
  try {
    await session.connection.sendMalformed();
    const { kind } = await session.ping('probe-ping');
    return kind === 'result';
  } catch {
    return false;
  }
}

/** Starts a task and requests its result at once. Returns the findings, and the failures that follow from them. */
export async function probeTaskResult(session: Session, call: ToolCall, delayMs: number): Promise<Finding> {
  const blank = toUnusedProbe(true, delayMs);
  try {
    const found = session.era === '2026-07-28' ? await probeGet(session, call) : await probeResult(session, call);
    return { probe: { ...blank, ...found.probe }, failures: found.failures };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const probe = { ...blank, failure: `exception:${why}`, observed_retryable_nonterminal_error: false };
    return { probe, failures: [`task_result_probe_exception:${why}`] };
  }
}

interface Finding {
  readonly probe: TaskResultProbe;
  readonly failures: readonly string[];
}

interface PartFinding {
  readonly probe: Partial<TaskResultProbe>;
  readonly failures: readonly string[];
}

async function probeResult(session: Session, { tool, args }: ToolCall): Promise<PartFinding> {
  const created = await session.send('probe-task-call', 'tools/call', { name: tool, arguments: args, task: {} });
  const task = created.kind === 'result' && isObject(created.result.task) ? created.result.task : {};
  const taskId = toTaskId(task);
  if (taskId === undefined) return toFailure('missing_task_id', { task_id: null });
  const answer = await session.send('probe-task-result', 'tasks/result', { taskId, wait: false });
  if (answer.kind === 'result')
    return toFailure('missing_error', { task_id: cut(taskId), returned_terminal_result: true });
  return judgeCode(answer, taskId);
}

function judgeCode({ code }: Extract<Answer, { kind: 'error' }>, taskId: string): PartFinding {
  const isExpected = code === NOT_READY;
  return {
    probe: { task_id: cut(taskId), observed_error_code: code, observed_retryable_nonterminal_error: isExpected },
    failures: isExpected ? [] : [`task_result_probe_unexpected_error_code:${code}`],
  };
}

/** The modern era has no `tasks/result`: `tasks/get` answers at once, with the status. */
async function probeGet(session: Session, { tool, args }: ToolCall): Promise<PartFinding> {
  const params = { name: tool, arguments: args };
  const created = await session.sendWithTasks('probe-task-call', 'tools/call', params);
  const taskId = created.kind === 'result' ? toTaskId(created.result) : undefined;
  if (taskId === undefined) return toFailure('missing_task_id', { task_id: null });
  const answer = await session.sendWithTasks('probe-task-result', 'tasks/get', { taskId });
  if (answer.kind === 'error') return judgeCode(answer, taskId);
  const status = String(answer.result.status);
  const isOpen = status === 'working' || status === 'input_required';
  const seen = { task_id: cut(taskId), observed_status: cut(status) };
  if (isOpen) return { probe: { ...seen, observed_retryable_nonterminal_error: true }, failures: [] };
  return toFailure('missing_error', { ...seen, returned_terminal_result: true });
}

function toFailure(failure: string, seen: Partial<TaskResultProbe>): PartFinding {
  const probe = { ...seen, failure, observed_retryable_nonterminal_error: false };
  return { probe, failures: [`task_result_probe_${failure}`] };
}

function toTaskId({ taskId }: JsonObject): string | undefined {
  const id = typeof taskId === 'string' ? taskId.trim() : '';
  return id === '' ? undefined : id;
}
