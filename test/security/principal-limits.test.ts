/** What binds a principal, and what it cannot get around. */
import { createEngine, createMemoryStore, type TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGate, openLightRig, storeKinds } from '../engine/open-rig.ts';

describe.each(storeKinds)('limits of a principal on the %s store', (kind) => {
  it('[SEC-404] bind everybody but the owner; those that are set bind the owner too', async () => {
    const rig = await openLightRig(kind);
    const tools = { any: { run: () => 1 } };
    const free = await rig.idleEngine(tools);
    const submitMany = (count: number, principal: string) =>
      Promise.all(Array.from({ length: count }, () => free.submit('any', {}, { principal })));
    await submitMany(1001, 'local');
    await submitMany(1000, 'bob');
    const refusal = { code: 'QUOTA_EXCEEDED', data: { limit: 'queued', max: 1000, used: 1000 } };
    await expect(free.submit('any', {}, { principal: 'bob' })).rejects.toMatchObject(refusal);
    const strict = await rig.idleEngine(tools, { limits: { perPrincipal: { queued: 2 } } });
    await expect(strict.submit('any')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', data: { max: 2, used: 1001 } });
  });

  it('[SEC-405] count what waits for an answer, and say when to come again', async () => {
    const rig = await openLightRig(kind);
    const ask = async (_: unknown, task: TaskContext) => task.ask({ message: 'Sure?', schema: z.object({}) });
    const limits = { perPrincipal: { queued: 3 } };
    const engine = await rig.engine({ ask: { run: ask, estimateMs: 7000 } }, { limits });
    for (let n = 0; n < 3; n++) {
      const { task } = await engine.submit('ask', {}, { principal: 'bob' });
      await until(async () => (await engine.get(task.taskId, { principal: 'bob' })).status === 'input_required');
    }
    const data = { limit: 'queued', retryAfterMs: 7000 };
    await expect(engine.submit('ask', {}, { principal: 'bob' })).rejects.toMatchObject({ data });
  });

  it('[SEC-406] answered all at once, its tasks do not take the slots of others', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    let running = 0;
    const run = async (_: unknown, task: TaskContext) => {
      await task.ask({ message: 'Go on?', schema: z.object({}) });
      running += 1;
      await gate.opened;
      return 'done';
    };
    const engine = await rig.engine({ ask: { run }, quick: { run: () => 'quick' } }, { concurrency: 4 });
    const principal = 'mallory';
    const asked = [];
    for (let n = 0; n < 12; n++) asked.push((await engine.submit('ask', {}, { principal })).task.taskId);
    for (const taskId of asked) {
      await until(async () => (await engine.get(taskId, { principal })).status === 'input_required');
    }
    const answer = { q1: { action: 'accept', content: {} } } as const;
    await Promise.all(asked.map((taskId) => engine.answer(taskId, answer, { principal })));
    await until(() => running === 3, { what: 'three of four slots' });
    const { task } = await engine.submit('quick', {}, { principal: 'ada' });
    expect(await engine.outcome(task.taskId, { principal: 'ada' })).toEqual({ kind: 'result', value: 'quick' });
    expect(running).toBe(3);
    gate.open();
    await Promise.all(asked.map((taskId) => engine.outcome(taskId, { principal })));
    expect(running).toBe(12);
  });

  it('[SEC-407] with `running` it gets no more slots than that, and a slot that comes free is used', async () => {
    const rig = await openLightRig(kind);
    let running = 0;
    let most = 0;
    const run = async () => {
      running += 1;
      most = Math.max(most, running);
      await until(() => running >= 2 || most >= 2);
      running -= 1;
    };
    const engine = await rig.engine({ any: { run } }, { limits: { perPrincipal: { running: 2 } } });
    const submitted = await Promise.all(Array.from({ length: 9 }, () => engine.submit('any')));
    await Promise.all(submitted.map(({ task }) => engine.outcome(task.taskId)));
    expect(most).toBe(2);
  });

  it('[SEC-408] estimates are learned from runs of the same principal only', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ any: { run: () => 1 } });
    const { task } = await engine.submit('any', {}, { principal: 'ada' });
    expect(await engine.outcome(task.taskId, { principal: 'ada' })).toMatchObject({ kind: 'result' });
    const estimate = async (principal: string) => (await engine.submit('any', {}, { principal })).task.estimateMs;
    expect(await estimate('ada')).toEqual(expect.any(Number));
    expect(await estimate('bob')).toBeUndefined();
    expect(await estimate('local')).toBeUndefined();
  });
});

describe('limits that cannot be used', () => {
  it.each([
    [{ perPrincipal: { queued: 0 } }, 'limits.perPrincipal.queued is 0; expected a whole number from 1 up'],
    [{ perPrincipal: { running: 1.5 } }, 'limits.perPrincipal.running is 1.5'],
    [{ perPrincipal: { storedBytes: '1GB' } }, 'limits.perPrincipal.storedBytes is "1GB"'],
    [{ perPrincipal: { sessions: -1 } }, 'limits.perPrincipal.sessions is -1'],
    [{ perPrincipal: { subscriptions: Number.NaN } }, 'limits.perPrincipal.subscriptions is NaN'],
    [{ perPrincipal: { queud: 5 } }, 'limits.perPrincipal.queud is not known (did you mean queued?)'],
    [{ maxTtlMs: -1 }, 'limits.maxTtlMs is -1'],
    [[], 'limits is []'],
    [7, 'limits is 7'],
  ])('[SEC-409] are refused by name: %j', async (limits, message) => {
    const options = { name: 'test', store: createMemoryStore(), limits: limits as never };
    await expect(createEngine(options)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    });
  });
});
