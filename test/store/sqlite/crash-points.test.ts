import { afterEach, expect, it } from 'vitest';
import { onCrashPoint } from '../../../src/crash-point.ts';
import { until } from '../../../src/testing/until.ts';
import { finish, StoreScratch, submit, WORKER } from './scratch.ts';

const scratch = new StoreScratch();
afterEach(() => onCrashPoint(undefined));

it('passes a crash point before and after every durable write', async () => {
  const store = await scratch.open();
  const passed = new Set<string>();
  onCrashPoint((name) => passed.add(name));
  const { tasks, workers, outbox, holds, sessions, deadlines } = store;

  await workers.reserve({ ...WORKER, workerId: 'w0', kind: 'detached' });
  await workers.register(WORKER);
  await workers.renew('w1', 1000);
  await workers.track({ ...WORKER.process, workerId: 'w1', taskId: 'any' });
  await workers.untrack('w1', 1);
  const claim = async () => {
    const [claimed] = await tasks.claim({ worker: 'w1', identity: 'reports', free: { render: 1 }, max: 1 });
    if (claimed === undefined) throw new Error('Nothing was claimed');
    return { taskId: claimed.task.taskId, fence: claimed.task.fence, worker: 'w1' };
  };
  const { taskId } = await submit(store, { deliver: [{ topic: 'bell' }] });
  const runAt = Date.now();
  await tasks.release(await claim(), { how: 'requeue', reason: 'handed-back', runAt, countsAsAttempt: false });
  await tasks.release(await claim(), { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
  const lease = await claim();
  await tasks.write(lease, { events: [{ type: 'progress', value: 0.5 }] });
  await tasks.write(lease, { step: { name: 'one', value: 1 } });
  await tasks.ask(lease, { key: 'q1', request: { kind: 'roots' } });
  await tasks.release(lease, { how: 'park' });
  await tasks.answer(taskId, { q1: { action: 'decline' } });
  await tasks.settle(await claim(), { outcome: { kind: 'result', value: 1 } });
  await submit(store, { queue: 'tv' });
  const stopping = await claim();
  await tasks.settle({ taskId: stopping.taskId }, { outcome: { kind: 'cancelled', reason: 'enough' } });
  await tasks.release(stopping, { how: 'leave-queue' });
  await tasks.release(stopping, { how: 'stopped', note: 'told' });
  const { messages } = await outbox.take({ topics: ['bell'], max: 1, holdMs: 0 });
  await outbox.postpone(messages[0]?.messageId ?? '', 0);
  await outbox.done(messages[0]?.messageId ?? '');
  await holds.attend(taskId, 'nobody');
  await holds.release(taskId, 'nobody', { how: 'hand-over' });
  await holds.remove(taskId);
  const session = { sessionId: 's1', principal: 'ada', openedAt: 0 };
  await sessions.touch(session, { expiresAt: 1, max: 10 });
  await sessions.end(session, { expiresAt: 1, max: 10 });
  await finish(store);
  await submit(store, { startWithinMs: 1 });
  await until(async () => (await deadlines.expire(1)) === 1);
  await tasks.sweep({ expiresBefore: 0, tombstonesBefore: 0, limit: 1 });
  const [dead] = await workers.list();
  await tasks.recover({ workerId: 'w0', until: dead?.until ?? 0, reason: 'gone', delaysMs: [0] });
  const silent = { workerId: 'w1', until: dead?.until ?? 0, by: 'ada', stallMs: 1, toWatchedMs: () => 0 };
  await workers.observe(silent);
  await workers.drain('w1', 0);
  await workers.retire('w1', { ifIdle: true });

  const names = [...new Set([...passed].map((name) => name.replace(/:.*/, '')))];
  expect(names.sort()).toEqual(
    `answer ask cancel claim expire hand-back hold-attend hold-release hold-remove leave-queue outbox-done outbox-postpone outbox-take park progress recover retry session-end session-touch settle step stopped
     submit sweep worker-drain worker-observe worker-register worker-renew worker-reserve worker-retire worker-track worker-untrack`.split(
      /\s+/,
    ),
  );
  expect([...passed].sort()).toEqual(names.flatMap((name) => [`${name}:after`, `${name}:before`]).sort());
});
