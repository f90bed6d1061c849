import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TaskEvent } from 'holdfast';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCli } from '../run-cli.ts';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;

beforeEach(async () => {
  seeded = await openSeededStore();
});

afterEach(() => seeded.close());

function startTail(taskId: string, ...args: string[]) {
  const child = startCli(['tasks', 'tail', taskId, '--json', '--store', seeded.path, ...args]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value) as TaskEvent;
  return { child, closed: once(child, 'close'), next, rest: () => lines.next() };
}

it('[CLI-03] follows a task that another process works on, and ends with 0 when it ends', async () => {
  const { taskId } = await seeded.add();
  const tail = startTail(taskId);
  expect(await tail.next()).toMatchObject({ seq: 1, type: 'submitted' });
  const lease = await seeded.claim('render');
  expect(await tail.next()).toMatchObject({ seq: 2, type: 'claimed', attempt: 1 });
  await seeded.store.tasks.write(lease, { events: [{ type: 'progress', value: 0.5, message: 'Half' }] });
  expect(await tail.next()).toMatchObject({ seq: 3, type: 'progress', value: 0.5, message: 'Half' });
  await seeded.store.tasks.settle({ taskId, fence: lease.fence }, { outcome: { kind: 'result', value: 1 } });
  expect(await tail.next()).toMatchObject({ seq: 4, type: 'ended', status: 'completed' });
  expect(await tail.rest()).toMatchObject({ done: true });
  expect(await tail.closed).toEqual([0, null]);
});

it('ends with 130 on Ctrl-C, and the task goes on', async () => {
  const { taskId } = await seeded.add();
  const tail = startTail(taskId);
  await tail.next();
  tail.child.kill('SIGINT');
  expect(await tail.closed).toEqual([130, null]);
  expect((await seeded.get(taskId)).status).toBe('queued');
});

it('starts after the event it is told', async () => {
  const { taskId } = await seeded.add();
  await seeded.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
  const { code, stdout } = await seeded.here('tail', taskId, '--after', '1', '--json');
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).seq),
  ).toEqual([2]);
});

it('prints one line per event for people', async () => {
  const { taskId } = await seeded.add();
  const lease = await seeded.claim('render');
  await seeded.store.tasks.write(lease, {
    events: [
      { type: 'progress', value: 0.5, message: 'Half' },
      { type: 'log', level: 'info', message: 'two\nlines', data: { a: 1 } },
      { type: 'stream', data: 'chunk' },
    ],
  });
  await seeded.store.tasks.write(lease, { step: { name: 'upload', value: null } });
  await seeded.store.tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
  await seeded.store.tasks.answer(taskId, { q1: { action: 'decline' } });
  const outcome = { kind: 'error', error: { code: 'TOOL_FAILED', message: 'no paper' } } as const;
  await seeded.store.tasks.settle({ taskId, fence: lease.fence }, { outcome });
  const { stdout } = await seeded.here('tail', taskId);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^\S+Z +/, '')),
  ).toEqual([
    '1  submitted',
    '2  claimed    attempt 1, fence 1, worker w1',
    '3  progress   50% Half',
    '4  log        info two\\nlines {"a":1}',
    '5  stream     "chunk"',
    '6  stepped    upload',
    '7  asked      q1 {"kind":"roots"}',
    '8  answered   q1 {"action":"decline"}',
    '9  ended      failed, error, no paper',
  ]);
});

it('says which events an expired task has lost', async () => {
  const { taskId } = await seeded.add();
  await seeded.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'not needed' } });
  await seeded.here('prune', '--older-than', '0s');
  const [{ code, stdout }, human] = await Promise.all([
    seeded.here('tail', taskId, '--json'),
    seeded.here('tail', taskId),
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ type: 'gap', from: 1, to: 2 });
  expect(human.stdout).toBe('… events 1 to 2 were dropped\n');
});

it('ends quietly when nobody reads its output any more', async () => {
  const { taskId } = await seeded.add();
  const tail = startTail(taskId);
  await tail.next();
  tail.child.stdout.destroy();
  await seeded.claim('render');
  expect(await tail.closed).toEqual([0, null]);
});

it('refuses a number it cannot start after', async () => {
  expect(await seeded.here('tail', 'x', '--after', 'now')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^holdfast: --after is "now"; expected a whole number from 0/),
  });
});
