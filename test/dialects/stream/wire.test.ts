import type { EventBody, Task, TaskEvent } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { toGapEvent, toRunEvent } from '../../../src/dialects/stream/run-event.ts';
import { toEndNotifications } from '../../../src/dialects/stream/wire.ts';
import { splitText } from '../../../src/text/cut-text.ts';

const at = Date.parse('2026-01-20T10:12:13.000Z');
const ts = '2026-01-20T10:12:13.000Z';
const toRun = (body: EventBody) => toRunEvent({ ...body, seq: 5, at } as TaskEvent);
const request = { kind: 'roots' } as const;

describe('the event of a run', () => {
  it.each<[EventBody, object]>([
    [{ type: 'submitted' }, { type: 'status', status: 'queued' }],
    [
      { type: 'claimed', attempt: 1, fence: 1, worker: 'w' },
      { type: 'status', status: 'running' },
    ],
    [{ type: 'asked', key: 'q1', request } as EventBody, { type: 'status', status: 'input_required' }],
    [
      { type: 'answered', key: 'q1', answer: { action: 'accept' } },
      { type: 'status', status: 'running' },
    ],
    [{ type: 'parked' }, { type: 'status', status: 'input_required' }],
    [
      { type: 'requeued', reason: 'retry', runAt: 0 },
      { type: 'status', status: 'queued' },
    ],
    [
      { type: 'stepped', name: 's' },
      { type: 'log', level: 'debug', message: 'step s' },
    ],
    [
      { type: 'progress', value: 0.5, message: 'half' },
      { type: 'progress', value: 0.5, message: 'half' },
    ],
    [
      { type: 'log', level: 'warning', message: 'w' },
      { type: 'warning', message: 'w' },
    ],
    [
      { type: 'log', level: 'error', message: 'e', data: 1 },
      { type: 'error', message: 'e', data: 1 },
    ],
    [
      { type: 'log', level: 'info', message: 'i' },
      { type: 'log', level: 'info', message: 'i' },
    ],
    [
      { type: 'stream', data: { any: 1 } },
      { type: 'data', data: { any: 1 } },
    ],
  ])('[STREAM-31] is one for each event of its task: %j', (body, event) => {
    expect(toRun(body)).toEqual({ seq: 5, ts, source: 'system', event });
  });

  it('[STREAM-31] is what the tool handed over, with the number and time of its task', () => {
    const piece = { source: 'stderr', text: 'noise', truncated: true, originalLength: 9, seq: 77, ts: 'never' };
    expect(toRun({ type: 'stream', data: piece })).toEqual({ ...piece, seq: 5, ts });
    expect(toRun({ type: 'stream', data: 'a text' })).toEqual({ seq: 5, ts, source: 'raw', text: 'a text' });
  });

  it('[STREAM-31] is none for the end, which is told otherwise', () => {
    expect(toRun({ type: 'ended', status: 'completed', outcome: 'result' })).toBeUndefined();
  });

  it('[STREAM-31] says of those that were trimmed which they were', () => {
    expect(toGapEvent({ type: 'gap', from: 3, to: 9 }, at)).toEqual({
      seq: 3,
      ts,
      source: 'system',
      event: { type: 'gap', from: 3, to: 10 },
    });
  });
});

describe('a text in pieces', () => {
  it.each([
    ['', 4, ['']],
    ['abcd', 4, ['abcd']],
    ['abcde', 4, ['abcd', 'e']],
    ['abc😊', 4, ['abc', '😊']],
    ['ab😊c', 4, ['ab😊', 'c']],
    ['😊😊', 3, ['😊', '😊']],
    ['😊', 1, ['\ud83d', '\ude0a']],
  ])('[STREAM-14] %j by %d', (text, length, pieces) => {
    expect(splitText(text, length)).toEqual(pieces);
  });
});

describe('the end of a run', () => {
  const address = { app: 'a', rpcId: 1, windowId: 'w' };
  const tell = (outcome: Task['outcome']) => {
    const task = { taskId: 't', tool: 'tool', endedAt: at, outcome } as Task;
    return toEndNotifications(task, address).map(({ params }) => params);
  };

  it.each<[NonNullable<Task['outcome']>, string, string]>([
    [{ kind: 'result', value: { content: [{ type: 'text', text: 'fine' }] } }, 'fine', 'completed'],
    [{ kind: 'result', value: { content: [], structuredContent: { n: 1 } } }, '{"n":1}', 'completed'],
    [{ kind: 'result', value: { content: [] } }, 'tool completed', 'completed'],
    [{ kind: 'error', error: { code: 'TOOL_FAILED', message: 'broke' } }, 'broke', 'failed'],
    [{ kind: 'error', error: { code: 'TIMED_OUT', message: 'too slow' } }, 'too slow', 'failed'],
    [{ kind: 'error', error: { code: 'TOOL_FAILED', message: '' } }, 'tool failed, without a word', 'failed'],
    [{ kind: 'interrupted', reason: 'its worker died' }, 'Interrupted: its worker died', 'failed'],
    [{ kind: 'cancelled', reason: 'asked' }, 'Cancelled: asked', 'aborted'],
    [{ kind: 'expired', was: 'result', reason: 'old' }, 'Expired: old', 'failed'],
  ])('[STREAM-13] of %j has a text and one of three statuses', (outcome, finalText, status) => {
    const ids = { requestId: 't', rpcId: 1, windowId: 'w', runId: 't' };
    expect(tell(outcome)).toEqual([
      expect.objectContaining({ ...ids, finalText, final: true, chunkCount: 1 }),
      { ...ids, done: true, status, finishedAt: ts },
      { ...ids, status, finishedAt: ts, result: '😊' },
    ]);
  });
});
