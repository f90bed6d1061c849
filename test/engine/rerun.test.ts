/** Tasks that are run again: whose they are, what is kept, and who is told. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type AuditEntry, createTaskClient, OPERATOR, type TaskContext } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openLightRig, storeKinds } from './open-rig.ts';

const DESK = { name: 'desk', version: '2' };

/** A tool of three steps, which counts how often each was taken; the last one fails the first time. */
function createSteps() {
  const taken: string[] = [];
  const run = async ({ topic }: { topic: string }, task: TaskContext) => {
    const take = (name: string, value: string) =>
      task.step(name, () => {
        taken.push(name);
        return value;
      });
    const parts = [await take('read', `${topic} read`), await take('sort', 'sorted')];
    await take('print', 'printed');
    if (taken.filter((name) => name === 'print').length === 1) throw new Error('no paper');
    return parts;
  };
  return { taken, tool: { input: z.object({ topic: z.string() }), run } };
}

describe.each(storeKinds)('a task that is run again, in %s', (kind) => {
  it('[SAND-281] keeps what the steps before the chosen one gave, and takes the others anew', async () => {
    const rig = await openLightRig(kind);
    const { taken, tool } = createSteps();
    const engine = await rig.engine({ report: tool });
    const { taskId } = (await engine.submit('report', { topic: 'tea' }, { principal: 'ada' })).task;
    expect(await engine.outcome(taskId, { principal: 'ada' })).toMatchObject({ kind: 'error' });
    const again = await engine.rerun(taskId, { fromStep: 'print', principal: 'ada' });
    expect(again).toMatchObject({ tool: 'report', principal: 'ada', args: { topic: 'tea' } });
    const outcome = await engine.outcome(again.taskId, { principal: 'ada' });
    expect(outcome).toEqual({ kind: 'result', value: ['tea read', 'sorted'] });
    expect(taken).toEqual(['read', 'sort', 'print', 'print']);
    // The steps of a task that was run again can be kept again.
    const third = await engine.rerun(again.taskId, { fromStep: 'sort', principal: OPERATOR });
    await engine.outcome(third.taskId, { principal: 'ada' });
    expect(taken.slice(4)).toEqual(['sort', 'print']);
  });

  it('[SAND-280] has the arguments, secrets included, which stay hidden; and nothing of the first call alone', async () => {
    const rig = await openLightRig(kind);
    const seen: unknown[] = [];
    const tool = { redact: ['key'], run: (args: unknown) => void seen.push(args) };
    const engine = await rig.engine({ open: tool });
    const options = { idempotencyKey: 'once', alias: 'mine', deliver: [{ topic: 'mail' }], labels: { team: 'a' } };
    const { taskId } = (await engine.submit('open', { door: 1, deep: { key: 'swordfish' } }, options)).task;
    await engine.outcome(taskId);
    const again = await engine.rerun(taskId);
    await engine.outcome(again.taskId);
    const other = await engine.rerun(again.taskId, { args: { door: 2, deep: { key: '******' } } });
    await engine.outcome(other.taskId);
    const changed = await engine.rerun(again.taskId, { args: { door: 3, deep: { key: 'opensesame' } } });
    await engine.outcome(changed.taskId);
    expect(seen).toEqual([
      { door: 1, deep: { key: 'swordfish' } },
      { door: 1, deep: { key: 'swordfish' } },
      { door: 2, deep: { key: 'swordfish' } },
      { door: 3, deep: { key: 'opensesame' } },
    ]);
    for (const made of [again, other, changed]) {
      expect(made).toMatchObject({ deliver: [], labels: { team: 'a' }, args: { deep: { key: '******' } } });
      expect(made.alias ?? made.idempotencyKey).toBeUndefined();
      const kept = JSON.stringify(await rig.store.tasks.get({ taskId: made.taskId }));
      expect(kept).not.toMatch(/swordfish|opensesame/);
    }
  });

  it('[SAND-282] what cannot be run again is refused by name, and writes nothing', async () => {
    const rig = await openLightRig(kind);
    const { tool } = createSteps();
    const engine = await rig.engine({ report: tool });
    const { taskId } = (await engine.submit('report', { topic: 'tea' })).task;
    await engine.outcome(taskId);
    await expect(engine.rerun(taskId, { fromStep: 'fold' })).rejects.toThrow('expected read, sort, print');
    await expect(engine.rerun(taskId, { fromStep: 'sort', args: {} })).rejects.toThrow('give fromStep or args');
    await expect(engine.rerun(taskId, { args: { topic: 7 } })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(engine.rerun(taskId, { principal: 'eve' })).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(engine.rerun('none')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    const now = rig.store.time().now;
    await rig.store.tasks.sweep({ expiresBefore: 0, endedBefore: now, tombstonesBefore: 0, limit: 10 });
    await expect(engine.rerun(taskId)).rejects.toThrow('has expired');
    expect((await engine.list()).tasks).toHaveLength(1);
    const idle = await rig.idleEngine({ later: { run: () => 1 } }, { identity: 'nobody' });
    const waiting = (await idle.submit('later', {})).task.taskId;
    await expect(idle.rerun(waiting)).rejects.toThrow('cancel it first');
  });

  it('[SAND-283] who did it is kept with the new task, and told to the audit', async () => {
    const rig = await openLightRig(kind);
    const audited: AuditEntry[] = [];
    const { tool } = createSteps();
    const engine = await rig.engine({ report: tool }, { audit: (entry) => void audited.push(entry) });
    const { taskId } = (await engine.submit('report', { topic: 'tea' })).task;
    await engine.outcome(taskId);
    const again = await engine.rerun(taskId, { fromStep: 'sort', client: DESK });
    const by = { principal: 'local', client: DESK };
    const [first] = await rig.store.tasks.events(again.taskId, 0, 1);
    expect(first).toMatchObject({ type: 'submitted', rerunOf: taskId, by });
    expect(audited).toEqual([
      {
        ...{ at: expect.any(Number), action: 'rerun', by, taskId: again.taskId, tool: 'report', principal: 'local' },
        ...{ rerunOf: taskId, fromStep: 'sort' },
      },
    ]);
    await engine.outcome(again.taskId);
  });

  it('[SAND-284] a task of a queue joins its queue again; a client that does not know the queue says so', async () => {
    const rig = await openLightRig(kind);
    const tool = { queue: ({ desk }: { desk: string }) => desk, run: () => 'served' };
    const engine = await rig.engine({ serve: tool });
    const { taskId } = (await engine.submit('serve', { desk: 'one' })).task;
    await engine.outcome(taskId);
    const again = await engine.rerun(taskId);
    await engine.outcome(again.taskId);
    const [first] = await rig.store.tasks.events(again.taskId, 0, 1);
    expect(first).toMatchObject({ type: 'submitted', isInQueue: true, rerunOf: taskId });
    await expect(createTaskClient(rig.store).rerun(taskId)).rejects.toThrow('stand in queues');
  });

  it('[SAND-289] tells of the programs that it starts, by name and number, and how they ended', async () => {
    const rig = await openLightRig(kind);
    const run = async (_: unknown, task: TaskContext) => {
      const child = await task.spawn(process.execPath, ['-e', 'console.log("--secret"); process.exit(3)']);
      const [said, { code }] = await Promise.all([text(child.stdout), child.exit]);
      return [said.trim(), code];
    };
    const engine = await rig.engine({ start: { run } });
    const { taskId } = (await engine.submit('start', {})).task;
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: ['--secret', 3] });
    const told = (await rig.store.tasks.events(taskId, 0, 10)).filter(({ type }) => /spawned|exited/.test(type));
    const pid = expect.any(Number);
    expect(told).toMatchObject([
      { type: 'spawned', pid, command: 'node' },
      { type: 'exited', pid, code: 3, signal: null },
    ]);
    expect(JSON.stringify(told)).not.toContain('secret');
  });
});

it('[SAND-283] the file of the audit has a line of it', async () => {
  const rig = await openLightRig('sqlite');
  const engine = await rig.engine({ greet: { run: () => 'hello' } }, { audit: true });
  const { taskId } = (await engine.submit('greet', {})).task;
  await engine.outcome(taskId);
  const again = await engine.rerun(taskId, { principal: OPERATOR });
  await engine.outcome(again.taskId);
  const [line] = (await readFile(`${rig.folder}/audit.jsonl`, 'utf8')).trim().split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({
    action: 'rerun',
    rerunOf: taskId,
    by: { operator: expect.any(String) },
  });
});
