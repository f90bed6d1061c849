import { expect, it } from 'vitest';
import { createEventForwarder } from '../../../src/dialects/tasks-2026/event-forwarder.ts';
import type { TaskEvent } from '../../../src/task/event.ts';

function openLine(progressToken?: string) {
  const told: unknown[] = [];
  const tell = createEventForwarder({
    ...(progressToken !== undefined && { progressToken }),
    notify: async (method, params) => void told.push([method, params]),
    log: async (level, data) => void told.push([level, data]),
  });
  return { told, tell: (event: object) => tell({ seq: 1, at: 0, ...event } as unknown as TaskEvent) };
}

it('[GATE-161] progress before the handle goes to the token of the request, each time higher than before', async () => {
  const { told, tell } = openLine('mine');
  for (const value of [0, 0.5, 0.5, 0.25]) await tell({ type: 'progress', value, message: `at ${value}` });
  await tell({ type: 'progress', value: 7 });
  const method = 'notifications/progress';
  expect(told).toEqual([
    [method, { progressToken: 'mine', progress: 0, total: 1, message: 'at 0' }],
    [method, { progressToken: 'mine', progress: 0.5, total: 1, message: 'at 0.5' }],
    [method, { progressToken: 'mine', progress: 7 }],
  ]);
});

it('[GATE-161] lines of log are told as they come, and progress to nobody who gave no token', async () => {
  const { told, tell } = openLine();
  await tell({ type: 'progress', value: 0.5 });
  await tell({ type: 'log', level: 'info', message: 'begun' });
  expect(told).toEqual([['info', 'begun']]);
});
