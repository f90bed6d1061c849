import { describe, expect, it } from 'vitest';
import { toHandOver } from '../../../src/dialects/inline/hand-over.ts';
import { TASK_META } from '../../../src/dialects/shared/tasks-extension.ts';
import type { Task } from '../../../src/task/record.ts';

const NOW = Date.UTC(2030, 0, 1);
const TASK: Task = {
  taskId: 'task-1',
  tool: 'render',
  args: {},
  principal: 'local',
  identity: 'test',
  status: 'working',
  createdAt: NOW,
  updatedAt: NOW,
  startedAt: NOW,
  runAt: NOW,
  ttlMs: null,
  pollIntervalMs: 1000,
  attempt: 1,
  fence: 1,
  idempotent: false,
  maxAttempts: 1,
  deliver: [],
  questions: [],
  lastSeq: 1,
};
const FORM = {
  kind: 'form',
  message: 'Really?',
  schema: { type: 'object', properties: { really: { type: 'boolean' } } },
} as const;

function tell(over: Partial<Task> = {}, { isError = false, afterMs = 0, prefix = '', turn = 1 } = {}) {
  const result = toHandOver({ ...TASK, ...over }, { now: NOW + afterMs, isError, prefix, turn });
  const [{ text }] = result.content as unknown as [{ text: string }];
  return { result, text };
}

describe('a hand-over', () => {
  it('[HOLD-05] says that the work goes on, how far it is, how long about, and what to call', () => {
    const progress = { value: 0.25, message: 'Page 5 of 20', at: NOW };
    const { text } = tell({ estimateMs: 240_000, progress }, { afterMs: 60_000 });
    expect(text).toContain('render is still running, 25 % done (Page 5 of 20), about 3 min left.');
    expect(text).toContain('not the result and nothing went wrong');
    expect(text).toContain('call task_wait with {"task_id":"task-1","turn":1}.');
    expect(text).toContain('To stop it, call task_cancel.');
  });

  it('[HOLD-05] tells programs the same in its _meta', () => {
    const { result } = tell({ estimateMs: 240_000, progress: { value: 0.25, at: NOW } }, { afterMs: 60_000 });
    expect(result._meta).toEqual({
      [TASK_META]: { taskId: 'task-1', status: 'working', progress: 0.25, remainingMs: 180_000 },
    });
  });

  it('[HOSTS-162] tells a model that ends its turn what to say, and stays short', () => {
    const { text } = tell({}, { prefix: 'reports_', turn: 3 });
    expect(text.split('\n')).toEqual([
      'render is still running.',
      'This is not the result and nothing went wrong: the work goes on.',
      'To get the result, call reports_task_wait with {"task_id":"task-1","turn":3}.',
      'If you end your turn before that, tell the user: "render goes on in the background (task task-1); ask me for its result later."',
      'Do not call render again for it. To stop it, call reports_task_cancel.',
    ]);
  });

  it('[HOSTS-161] with a question tells the model to ask the user, and not to choose', () => {
    const questions = [{ key: 'sure', askedAt: NOW, request: FORM }];
    const { text } = tell({ status: 'input_required', questions }, { prefix: 'reports_' });
    expect(text.split('\n')).toEqual([
      "render waits for the user's answer.",
      'This is not the result and nothing went wrong: the user has to answer first.',
      'Ask the user and do not choose an answer yourself. You may end your turn to ask: the work waits.',
      'It asks: Really?',
      `Give their answer with reports_task_answer and {"task_id":"task-1","key":"sure","content":{…}}, content being of the schema ${JSON.stringify(FORM.schema)}; if they refuse, with "action":"decline" instead of content.`,
      'Do not call render again for it. To stop it, call reports_task_cancel.',
    ]);
  });

  it('says nothing it does not know', () => {
    const { text, result } = tell();
    expect(text).toMatch(/^render is still running\.\n/);
    expect(result._meta).toEqual({ [TASK_META]: { taskId: 'task-1', status: 'working' } });
  });

  it('gives no share of a number without a total', () => {
    expect(tell({ progress: { value: 350, at: NOW } }).text).toMatch(/^render is still running\.\n/);
  });

  it.each([
    [400, '1 s'],
    [89_000, '89 s'],
    [600_000, '10 min'],
    [9_000_000, '2.5 h'],
  ])('puts %i ms as %s', (estimateMs, words) => {
    expect(tell({ estimateMs }).text).toContain(`about ${words} left`);
  });

  it('says that a task has not begun', () => {
    expect(tell({ status: 'queued' }).text).toContain('render is waiting for its turn.');
  });

  it('[HOLD-06] is an error only where it has to be', () => {
    expect(tell().result).not.toHaveProperty('isError');
    expect(tell({}, { isError: true }).result).toMatchObject({ isError: true });
  });

  it('[HOLD-07] tells every open question, and how to answer each', () => {
    const url = { kind: 'url', message: 'Sign in', url: 'https://example.test/in' } as const;
    const questions = [
      { key: 'sure', askedAt: NOW, request: FORM },
      { key: 'old', askedAt: NOW, request: FORM, answer: { action: 'decline' } },
      { key: 'login', askedAt: NOW, request: url },
    ] as const;
    const { text } = tell({ status: 'input_required', questions });
    expect(text).toContain("waits for the user's answer");
    expect(text).toContain(
      'It asks: Really?\nGive their answer with task_answer and {"task_id":"task-1","key":"sure","content":{…}}',
    );
    expect(text).toContain(JSON.stringify(FORM.schema));
    expect(text).toContain(
      'Have them open https://example.test/in, then call task_answer with {"task_id":"task-1","key":"login"}',
    );
    expect(text).not.toContain('"old"');
    expect(text).not.toContain('task_wait');
  });
});
