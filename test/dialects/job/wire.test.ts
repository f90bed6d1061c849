import { describe, expect, it } from 'vitest';
import {
  toJobProgress,
  toJobResult,
  toQuestionText,
  toStage1,
  toStage1Result,
} from '../../../src/dialects/job/wire.ts';
import type { Json } from '../../../src/task/json.ts';
import type { Outcome } from '../../../src/task/outcome.ts';
import type { Task } from '../../../src/task/record.ts';

const AT = Date.UTC(2025, 11, 4, 12, 0, 0);

const job = (more: Partial<Task> = {}): Task => ({
  taskId: 'abc',
  tool: 'sync',
  args: {},
  principal: 'local',
  identity: 'test',
  status: 'queued',
  createdAt: AT,
  updatedAt: AT,
  ttlMs: null,
  pollIntervalMs: 1000,
  attempt: 0,
  fence: 0,
  idempotent: false,
  maxAttempts: 1,
  runAt: AT,
  questions: [],
  deliver: [],
  lastSeq: 1,
  ...more,
});

const end = (outcome: Outcome, errorDetails = false) =>
  toJobResult(job({ outcome, endedAt: AT + 42_000 }), { errorDetails }).result;
const value = (result: Json): Outcome => ({ kind: 'result', value: result });
const failed = (text: string, details?: string) => ({
  success: false,
  data: {},
  messages: [{ type: 'error', text, ...(details !== undefined && { details }) }],
});

describe('the first answer', () => {
  it('[JOB-35] is the same object as text and as structured content', () => {
    const report = toStage1(job({ estimateMs: 1234 }));
    expect(report.data).toEqual({ job_id: 'abc', estimated_runtime_seconds: 1.3, status: 'queued' });
    const text = JSON.stringify(report);
    expect(toStage1Result(report)).toEqual({ content: [{ type: 'text', text }], structuredContent: report });
  });

  it.each(['working', 'input_required', 'completed'] as const)(
    '[JOB-36] says running of a job that is %s',
    (status) => {
      const { data, messages } = toStage1(job({ status, estimateMs: 0 }));
      expect(data.status).toBe('running');
      expect(messages).toEqual([{ type: 'info', text: 'Operation running. Estimated runtime: 0s' }]);
    },
  );
});

describe('progress', () => {
  it('[JOB-37] carries id, share, message, time, and about how long it will take', () => {
    const task = job({ status: 'working', estimateMs: 45_000, startedAt: AT });
    expect(toJobProgress(task, { value: 0, message: 'Starting', at: AT })).toEqual({
      job_id: 'abc',
      progress: 0,
      message: 'Starting',
      estimated_remaining_seconds: 45,
      timestamp: '2025-12-04T12:00:00.000Z',
    });
    // As long again as the first half took, whatever was planned.
    const half = toJobProgress(task, { value: 0.5, at: AT + 20_000 });
    expect(half).toEqual({
      job_id: 'abc',
      progress: 0.5,
      estimated_remaining_seconds: 20,
      timestamp: '2025-12-04T12:00:20.000Z',
    });
  });

  it('[JOB-38] says nothing of the time left when nothing is known of it', () => {
    expect(toJobProgress(job(), { value: 0, at: AT })).not.toHaveProperty('estimated_remaining_seconds');
  });

  it('[JOB-30] names what is asked', () => {
    expect(toQuestionText({ kind: 'form', message: 'Sure?', schema: {} })).toBe('Waits for an answer: Sure?');
    expect(toQuestionText({ kind: 'roots' })).toBe('Waits for an answer: roots');
  });
});

describe('the result', () => {
  it('[JOB-39] has the data that the tool returned', () => {
    const messages = [{ type: 'success', text: 'sync completed' }];
    const content = [{ type: 'text', text: 'done' }];
    expect(end(value({ content }))).toEqual({ success: true, data: { content }, messages });
    const structured = end(value({ content, structuredContent: { files: 3 } }));
    expect(structured).toEqual({ success: true, data: { files: 3 }, messages });
    const list = end(value({ content, structuredContent: [3] }));
    expect(list).toEqual({ success: true, data: { content, structuredContent: [3] }, messages });
  });

  it('[JOB-40] is the report of a tool that speaks in reports', () => {
    const report = { success: true, data: { files: 3 }, messages: [{ type: 'warning', text: 'one left' }], log: ['a'] };
    expect(end(value({ content: [], structuredContent: report }))).toEqual(report);
    const refused = { ...report, success: false };
    expect(end(value({ content: [], structuredContent: refused }))).toEqual(refused);
    expect(end(value({ content: [], structuredContent: report, isError: true }))).toEqual(refused);
  });

  it('[JOB-41] of a failure has the first line as text and all of it as details', () => {
    const content = [
      { type: 'text', text: 'no paper\nin tray 2' },
      { type: 'image', data: '', mimeType: 'image/png' },
    ];
    expect(end(value({ content, isError: true }))).toEqual(failed('no paper', 'no paper\nin tray 2'));
    expect(end(value({ content: [], isError: true }))).toEqual(failed('sync failed', 'sync failed'));
  });

  it.each([
    ['Error: no ink\n    at print', 'Error: no ink\n    at print'],
    ['    at print', 'no ink\n    at print'],
  ])('[JOB-42] has the stack %o only when it may', (stack, details) => {
    const thrown: Outcome = { kind: 'error', error: { code: 'TOOL_FAILED', message: 'no ink', stack } };
    expect(end(thrown)).toEqual(failed('no ink', 'no ink'));
    expect(end(thrown, true)).toEqual(failed('no ink', details));
  });

  it('[JOB-43] tells every other end as a failure', () => {
    const rpc: Outcome = { kind: 'error', error: { code: 'X', message: 'paper jam', rpc: -32050 } };
    expect(end(rpc)).toEqual(failed('paper jam', 'paper jam'));
    expect(end({ kind: 'cancelled', reason: 'enough' })).toEqual(failed('Cancelled: enough'));
    const lost = 'Interrupted: its worker was lost';
    expect(end({ kind: 'interrupted', reason: 'its worker was lost' })).toEqual(failed(lost, lost));
    expect(end({ kind: 'expired', was: 'result', reason: 'too old' })).toEqual(failed('Expired: too old'));
  });

  it('[JOB-44] carries the id and the time of the end', () => {
    const told = toJobResult(job({ outcome: value({ content: [] }), endedAt: AT + 42_000 }), { errorDetails: false });
    expect(told).toMatchObject({ job_id: 'abc', timestamp: '2025-12-04T12:00:42.000Z' });
  });
});
