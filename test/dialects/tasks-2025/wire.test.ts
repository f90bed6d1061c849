import { describe, expect, it } from 'vitest';
import { RELATED_TASK } from '../../../src/dialects/shared/questions/related-task.ts';
import {
  toCreateTaskResult,
  toStatusNotification,
  toTask2025,
  withRelatedTask,
} from '../../../src/dialects/tasks-2025/wire.ts';
import type { Outcome } from '../../../src/task/outcome.ts';
import type { Task } from '../../../src/task/record.ts';

const CREATED = Date.UTC(2030, 0, 1, 12);
const NOW = CREATED + 1000;

function toTask(change: Partial<Task> = {}): Task {
  return {
    taskId: 't1',
    tool: 'print',
    args: {},
    principal: 'local',
    identity: 'test',
    status: 'working',
    createdAt: CREATED,
    updatedAt: CREATED + 1500,
    ttlMs: 60_000,
    pollIntervalMs: 750,
    attempt: 1,
    fence: 1,
    idempotent: false,
    maxAttempts: 1,
    runAt: CREATED,
    questions: [],
    deliver: [],
    lastSeq: 2,
    ...change,
  };
}

const toEnded = (status: Task['status'], outcome: Outcome) => toTask2025(toTask({ status, outcome }), NOW);

describe('a task on the wire of 2025-11-25', () => {
  it('has exactly the fields of the specification, with times in ISO 8601', () => {
    expect(toTask2025(toTask({ statusMessage: 'Page 3' }), NOW)).toEqual({
      taskId: 't1',
      status: 'working',
      statusMessage: 'Page 3',
      createdAt: '2030-01-01T12:00:00.000Z',
      lastUpdatedAt: '2030-01-01T12:00:01.500Z',
      ttl: 60_000,
      pollInterval: 750,
    });
  });

  it('leaves out a status message that is not there', () => {
    expect(toTask2025(toTask(), NOW)).not.toHaveProperty('statusMessage');
  });

  it('is working while it waits in the queue', () => {
    expect(toTask2025(toTask({ status: 'queued' }), NOW).status).toBe('working');
  });

  it.each(['working', 'input_required'] as const)('says %s for what the record calls so', (status) => {
    expect(toTask2025(toTask({ status }), NOW).status).toBe(status);
  });

  it('is completed by a result', () => {
    expect(toEnded('completed', { kind: 'result', value: { content: [] } }).status).toBe('completed');
  });

  it('is failed by a result with isError, and says its text', () => {
    const content = [
      { type: 'text', text: 'no paper' },
      { type: 'image', data: '', mimeType: 'image/png' },
      { type: 'text', text: 'load tray 2' },
    ];
    const task = toEnded('completed', { kind: 'result', value: { content, isError: true } });
    expect(task).toMatchObject({ status: 'failed', statusMessage: 'no paper\nload tray 2' });
  });

  it.each([[[]], ['text'], [[{ type: 'text', text: '' }]], [[null]]])(
    'says that the tool failed when a result with isError has no text: %j',
    (content) => {
      const task = toEnded('completed', { kind: 'result', value: { content, isError: true } });
      expect(task).toMatchObject({ status: 'failed', statusMessage: 'The tool failed' });
    },
  );

  it('is failed by an error of the tool, and says its text', () => {
    const task = toEnded('failed', { kind: 'error', error: { code: 'TOOL_FAILED', message: 'out of ink' } });
    expect(task).toMatchObject({ status: 'failed', statusMessage: 'out of ink' });
  });

  it('is failed by an error of the protocol, and says its text', () => {
    const task = toEnded('failed', { kind: 'error', error: { code: 'TIMED_OUT', message: 'took too long' } });
    expect(task).toMatchObject({ status: 'failed', statusMessage: 'took too long' });
  });

  it('is failed when its worker was lost, and says so', () => {
    const task = toEnded('failed', { kind: 'interrupted', reason: 'worker lost' });
    expect(task).toMatchObject({ status: 'failed', statusMessage: 'Interrupted: worker lost' });
  });

  it.each([
    ['cancelled', { kind: 'cancelled', reason: 'not needed' }],
    ['completed', { kind: 'expired', was: 'result', reason: 'not needed' }],
  ] as const)('says why it is %s', (status, outcome) => {
    expect(toEnded(status, outcome)).toMatchObject({ status, statusMessage: 'not needed' });
  });
});

describe('the ttl of a task', () => {
  it('is what was agreed while the work goes on', () => {
    expect(toTask2025(toTask({ ttlMs: 5000 }), NOW).ttl).toBe(5000);
  });

  it('counts from creation once the work has ended, so it includes the time the work took', () => {
    const endedAt = CREATED + 20_000;
    const task = toTask({ ttlMs: 5000, endedAt, expiresAt: endedAt + 5000 });
    expect(toTask2025(task, NOW).ttl).toBe(25_000);
  });

  it('is null for a task that is kept for ever', () => {
    expect(toTask2025(toTask({ ttlMs: null }), NOW).ttl).toBeNull();
  });
});

describe('the answer to a task-augmented call', () => {
  it('holds the task and nothing else', () => {
    const { statusMessage, ...task } = toTask2025(toTask({ statusMessage: 'Page 3' }), NOW);
    expect(toCreateTaskResult(toTask({ statusMessage: 'Page 3' }), NOW)).toEqual({ task });
  });

  it.each(['queued', 'input_required', 'completed', 'failed', 'cancelled'] as const)(
    'begins as working with the agreed ttl even when the task is %s by then',
    (status) => {
      const ended = toTask({ status, statusMessage: 'old news', expiresAt: CREATED + 90_000 });
      const { task } = toCreateTaskResult(ended, NOW);
      expect(task).toMatchObject({ status: 'working', ttl: 60_000 });
      expect(task).not.toHaveProperty('statusMessage');
    },
  );
});

describe('the notification of a status', () => {
  it('carries the whole task in its parameters and no related-task metadata', () => {
    const task = toTask({ status: 'input_required' });
    expect(toStatusNotification(task, NOW)).toEqual({
      method: 'notifications/tasks/status',
      params: toTask2025(task, NOW),
    });
    expect(toStatusNotification(task, NOW).params).not.toHaveProperty('_meta');
  });
});

describe('related-task metadata', () => {
  it('has the key of the specification', () => {
    expect(RELATED_TASK).toBe('io.modelcontextprotocol/related-task');
  });

  it('is added to what a message has, beside other metadata', () => {
    const message = { content: [], _meta: { mine: 1 } };
    expect(withRelatedTask(message, 't1')).toEqual({
      content: [],
      _meta: { mine: 1, [RELATED_TASK]: { taskId: 't1' } },
    });
    expect(message).toEqual({ content: [], _meta: { mine: 1 } });
  });

  it('replaces what a tool claims about its task', () => {
    const message = { _meta: { [RELATED_TASK]: { taskId: 'another' } } };
    expect(withRelatedTask(message, 't1')._meta).toEqual({ [RELATED_TASK]: { taskId: 't1' } });
  });

  it.each([null, 'text', [1]])('replaces metadata that is none: %j', (meta) => {
    expect(withRelatedTask({ _meta: meta }, 't1')).toEqual({ _meta: { [RELATED_TASK]: { taskId: 't1' } } });
  });
});
