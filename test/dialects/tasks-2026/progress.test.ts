import { expect, it } from 'vitest';
import { followTask2026 } from '../../../src/dialects/tasks-2026/host-follow.ts';
import { toDetailedTask } from '../../../src/dialects/tasks-2026/wire.ts';
import type { Task } from '../../../src/task/record.ts';
import { createFakePort, result, untilAborted } from '../fake-port.ts';

const TASK = { taskId: 't', questions: [], createdAt: 0, updatedAt: 0, pollIntervalMs: 1000 };

function toWire(part: object): { readonly [key: string]: unknown } {
  return toDetailedTask({ ...TASK, status: 'working', ...part } as unknown as Task, { capabilities: {}, now: 0 });
}

it('[CLI-23] a task that works says how far it is in steps of a hundredth, when the whole is known', () => {
  const told = toWire({ progress: { value: 0.337 }, statusMessage: 'a third' });
  expect(told).toMatchObject({ statusMessage: 'a third', _meta: { 'holdfast/progress': 0.33 } });
  expect(toWire({ progress: { value: 17 } })).not.toHaveProperty('_meta');
  expect(toWire({})).not.toHaveProperty('_meta');
});

it('[CLI-23] the host gives it as progress, and a status only when that changes', async () => {
  const port = createFakePort((method, _, signal) =>
    method === 'subscriptions/listen' ? untilAborted(signal) : result({ taskId: 't', status: 'working' }),
  );
  const following = followTask2026({ dialect: 'tasks-2026', taskId: 't', pollIntervalMs: 1000 }, port);
  await port.pass(5000);
  for (const value of [0.1, 0.1, 0.2]) {
    const task = toWire({ progress: { value }, statusMessage: `${value}` });
    port.tell({ method: 'notifications/tasks', params: task as never });
    await port.pass(0);
  }
  const result2026 = { resultType: 'complete', content: [] };
  const done = { taskId: 't', status: 'completed', result: result2026 };
  port.tell({ method: 'notifications/tasks', params: done });
  expect(await following).toMatchObject({ kind: 'result' });
  expect(port.updates).toEqual([
    { type: 'status', status: 'working' },
    { type: 'progress', value: 0.1, message: '0.1' },
    { type: 'progress', value: 0.2, message: '0.2' },
    { type: 'status', status: 'completed' },
  ]);
});
