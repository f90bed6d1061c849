import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;

beforeEach(async () => {
  seeded = await openSeededStore();
});

afterEach(() => seeded.close());

const schema = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] };
const TIME = /^\d{4}-\d\d-\d\dT\S+Z \(.+\)$/;

/** Labels and texts; times are checked and left out. */
function parseLines(stdout: string): [string, string][] {
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line): [string, string] => [line.slice(0, 12).trim(), line.slice(12)]);
  return lines.map(([label, text]) => [label, TIME.test(text) ? 'TIME' : text]);
}

it('[CLI-02] shows a waiting task with its questions', async () => {
  const { taskId } = await seeded.add({ alias: 'mine', idempotencyKey: 'k1' });
  const lease = await seeded.claim('render');
  await seeded.store.tasks.write(lease, { events: [{ type: 'progress', value: 0.5, message: 'Half\u001b[2J' }] });
  await seeded.store.tasks.ask(lease, { key: 'q1', request: { kind: 'url', message: 'Log in', url: 'https://a.b/' } });
  await seeded.store.tasks.ask(lease, { key: 'q2', request: { kind: 'form', message: 'Publish?', schema } });
  await seeded.store.tasks.answer(taskId, { q1: { action: 'accept', content: { done: true } } });
  const { code, stdout } = await seeded.cli('show', taskId);
  expect(code).toBe(0);
  expect(parseLines(stdout)).toEqual([
    ['Task', taskId],
    ['Alias', 'mine'],
    ['Tool', 'render'],
    ['Arguments', '{"year":2025}'],
    ['Principal', 'local'],
    ['Identity', 'test-program'],
    ['Status', 'input_required'],
    ['Message', 'Half\\u001b[2J'],
    ['Progress', '50%'],
    ['Created', 'TIME'],
    ['Started', 'TIME'],
    ['Waits for', "the user's answer"],
    ['Attempt', '1 of at most 1, fence 1'],
    ['Worker', 'w1'],
    ['Key', 'k1'],
    ['Question', 'q1 (accept): Log in https://a.b/'],
    ['', 'answer {"done":true}'],
    ['Question', 'q2 (open): Publish?'],
    ['', `schema ${JSON.stringify(schema)}`],
    ['Events', '6'],
  ]);
});

it('[BAD-102] says when the worker of a task is stalled, and the events say since when', async () => {
  const { taskId } = await seeded.add();
  await seeded.claim('render');
  const { workers } = seeded.store;
  const [worker] = await workers.list();
  const look = { workerId: 'w1', until: worker?.until ?? 0, by: 'test', stallMs: 60_000, toWatchedMs: () => 61_000 };
  await workers.observe(look);
  expect((await seeded.here('show', taskId)).stdout).not.toContain('Stalled');
  await workers.observe({ ...look, after: 1 });
  expect(parseLines((await seeded.here('show', taskId)).stdout)).toContainEqual([
    'Stalled',
    'its worker has been silent for 1m 1s',
  ]);
  await seeded.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'seen enough' } });
  expect((await seeded.here('tail', taskId)).stdout).toContain('silent for 61000 ms');
});

it.each([
  [{ kind: 'result', value: { pages: 3 } }, 'result {"pages":3}'],
  [{ kind: 'error', error: { code: 'TOOL_FAILED', message: 'out\nof paper' } }, 'error TOOL_FAILED: out\\nof paper'],
  [{ kind: 'interrupted', reason: 'its worker was lost' }, 'interrupted: its worker was lost'],
  [{ kind: 'cancelled', reason: 'not needed' }, 'cancelled: not needed'],
] as const)('shows the outcome of an ended task: %j', async (outcome, text) => {
  const { taskId } = await seeded.add();
  const { fence } = await seeded.claim('render');
  await seeded.store.tasks.settle({ taskId, fence }, { outcome });
  const lines = new Map(parseLines((await seeded.here('show', taskId)).stdout));
  expect(lines.get('Outcome')).toBe(text);
  expect(lines.get('Ended')).toBe('TIME');
  expect(lines.get('Expires')).toBe('TIME');
  expect(lines.has('Left')).toBe(false);
});

it('says what an expired task had been', async () => {
  const { taskId } = await seeded.add();
  await seeded.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
  await seeded.here('prune', '--older-than', '0s');
  expect((await seeded.here('show', taskId)).stdout).toContain('Outcome     expired, was cancelled: not needed\n');
});

it('[CLI-07] prints the record as JSON', async () => {
  const { taskId } = await seeded.add();
  const { stdout } = await seeded.here('show', taskId, '--json');
  expect(JSON.parse(stdout)).toEqual(await seeded.get(taskId));
});

it('says so when there is no such task', async () => {
  expect(await seeded.here('show', 'nothing-like-it')).toEqual({
    code: 4,
    stdout: '',
    stderr: 'holdfast: there is no task "nothing-like-it"\n',
  });
});

it('[BAD-263] says that a task is a suspect', async () => {
  const { taskId } = await seeded.add({ idempotent: true, maxAttempts: 3 });
  const lease = await seeded.claim('render');
  const [{ until } = { until: 0 }] = await seeded.store.workers.list();
  await seeded.store.tasks.recover({ workerId: lease.worker, until, reason: 'It ended', delaysMs: [0] });
  const { stdout } = await seeded.here('show', taskId);
  expect(parseLines(stdout)).toContainEqual(['Suspect', 'at work in a worker that ended; it runs apart until it ends']);
});

it('[FIRST-317] shows the operator the stack of an error, and the log of a lost worker', async () => {
  const { taskId } = await seeded.add();
  const { fence } = await seeded.claim('render');
  const stack = 'Error: no paper\n    at print (/app/print.js:1:1)\n    at \u001b[2J';
  const error = { code: 'TOOL_FAILED', message: 'no paper', stack };
  await seeded.store.tasks.settle({ taskId, fence }, { outcome: { kind: 'error', error } });
  const failed = parseLines((await seeded.here('show', taskId)).stdout);
  const at = failed.findIndex(([label]) => label === 'Outcome');
  expect(failed.slice(at, at + 4)).toEqual([
    ['Outcome', 'error TOOL_FAILED: no paper'],
    ['Stack', 'Error: no paper'],
    ['', '    at print (/app/print.js:1:1)'],
    ['', '    at \\u001b[2J'],
  ]);

  const lost = await seeded.add();
  const details = 'log: /state/worker-x.log\nError: nobody takes this';
  const outcome = { kind: 'interrupted', reason: 'its worker process ended', details } as const;
  await seeded.store.tasks.settle({ taskId: lost.taskId }, { outcome });
  const interrupted = parseLines((await seeded.here('show', lost.taskId)).stdout);
  const from = interrupted.findIndex(([label]) => label === 'Outcome');
  expect(interrupted.slice(from, from + 3)).toEqual([
    ['Outcome', 'interrupted: its worker process ended'],
    ['Worker log', '/state/worker-x.log'],
    ['', 'Error: nobody takes this'],
  ]);
});
