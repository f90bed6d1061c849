import type { OutboxMessage, TaskContext } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds, untilAborted } from '../open-rig.ts';
import { openSite } from '../workers/start-program.ts';

const deliver = [{ topic: 'done', data: { to: 'ann' } }];

describe.each(storeKinds)('the outbox on the %s store', (kind) => {
  it('[ENGINE-08] [ENGINE-42] delivers when a task ends, with its result', async () => {
    const rig = await openLightRig(kind);
    const got: OutboxMessage[] = [];
    const engine = await rig.engine(
      { echo: { run: (args) => args } },
      { outbox: { done: (one) => void got.push(one) } },
    );
    const { taskId } = (await engine.submit('echo', 5, { deliver: [...deliver, { topic: 'unknown here' }] })).task;
    await until(() => got.length === 1);
    expect(got).toMatchObject([
      { topic: 'done', data: { to: 'ann' }, tries: 1, task: { taskId, outcome: { kind: 'result', value: 5 } } },
    ]);
    await engine.close();
    expect(got).toHaveLength(1);
  });

  it('[ENGINE-42] [ENGINE-47] tries again with the same message id when the handler fails', async () => {
    const rig = await openLightRig(kind);
    const got: OutboxMessage[] = [];
    const done = (message: OutboxMessage) => {
      got.push(message);
      if (got.length === 1) throw new Error('the line is busy');
    };
    const engine = await rig.engine({ echo: { run: (args) => args } }, { outbox: { done } });
    await engine.submit('echo', 5, { deliver });
    await until(() => got.length === 2);
    expect(got[1]).toMatchObject({ messageId: got[0]?.messageId, tries: 2 });
    expect(rig.takeErrors()).toMatchObject([{ cause: { message: 'the line is busy' } }]);
  });

  it('[ENGINE-42] a handler that hangs holds up neither other messages nor the end of the engine', async () => {
    const rig = await openLightRig(kind);
    const got: unknown[] = [];
    const done = ({ task }: OutboxMessage) => {
      got.push(task.args);
      return task.args === 'hangs' ? new Promise<void>(() => {}) : undefined;
    };
    const engine = await rig.engine({ echo: { run: (args) => args } }, { outbox: { done }, outboxVisibilityMs: 200 });
    await engine.submit('echo', 'hangs', { deliver });
    await until(() => got.includes('hangs'));
    await engine.submit('echo', 'goes', { deliver });
    await until(() => got.includes('goes'));
    await engine.close();
  });

  it('[ENGINE-42] delivers cancelled and interrupted tasks too', async () => {
    const rig = await openLightRig(kind);
    const got: unknown[] = [];
    const outbox = { done: ({ task }: OutboxMessage) => void got.push(task.outcome?.kind) };
    const run = (_args: unknown, task: TaskContext) => untilAborted(task.signal);
    const engine = await rig.engine({ slow: { run } }, { outbox, shutdownGraceMs: 1 });
    const cancelled = (await engine.submit('slow', 1, { deliver })).task.taskId;
    await engine.cancel(cancelled);
    await until(() => got.length === 1);
    const interrupted = (await engine.submit('slow', 2, { deliver })).task.taskId;
    await untilStatus(engine, interrupted, 'working');
    await engine.close();
    await rig.engine({}, { outbox });
    await until(() => got.length === 2);
    expect(got).toEqual(['cancelled', 'interrupted']);
  });

  it('[ENGINE-44] an undelivered message keeps its task from expiring', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ echo: { run: (args) => args, ttlMs: 0 } }, { sweepMs: 5 });
    const { taskId } = (await engine.submit('echo', 5, { deliver })).task;
    const plain = (await engine.submit('echo', 6)).task.taskId;
    await until(async () => (await engine.get(plain)).outcome?.kind === 'expired');
    expect((await engine.get(taskId)).outcome).toEqual({ kind: 'result', value: 5 });
    const got: unknown[] = [];
    const courier = await rig.engine({}, { outbox: { done: ({ task }) => void got.push(task.outcome) }, sweepMs: 5 });
    await until(async () => (await courier.get(taskId)).outcome?.kind === 'expired');
    expect(got).toEqual([{ kind: 'result', value: 5 }]);
  });
});

describe('the outbox between processes', () => {
  it('[ENGINE-42] is delivered by another process than the one that settled', async () => {
    const site = await openSite();
    const worker = site.start({ identity: 'same' });
    const taskId = await worker.submit('where', {}, { deliver: [{ topic: 'out' }] });
    await site.access.outcome(taskId);
    await worker.kill();
    expect(await site.runs()).toEqual([]);
    const courier = site.start({ identity: 'same', outbox: 'out' });
    const [run] = await site.untilRuns(1);
    expect(run).toMatchObject({ what: 'delivered', taskId, pid: courier.child.pid });
    await courier.end();
    expect(await site.runs()).toHaveLength(1);
  });
});
