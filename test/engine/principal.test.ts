import { type Engine, OPERATOR, type Principal } from 'holdfast';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds } from './open-rig.ts';

const UNKNOWN = '0'.repeat(36);

/** Every way to reach for a task. */
const verbs: Record<string, (engine: Engine, taskId: string, principal: Principal) => Promise<unknown>> = {
  get: (engine, taskId, principal) => engine.get(taskId, { principal }),
  watch: (engine, taskId, principal) => engine.watch(taskId, { principal }).next(),
  outcome: (engine, taskId, principal) => engine.outcome(taskId, { principal, signal: AbortSignal.timeout(1000) }),
  cancel: (engine, taskId, principal) => engine.cancel(taskId, { principal }),
  answer: (engine, taskId, principal) => engine.answer(taskId, { q1: { action: 'decline' } }, { principal }),
};

async function openAsking(kind: (typeof storeKinds)[number]) {
  const rig = await openLightRig(kind);
  const schema = { type: 'object' };
  const engine = await rig.engine({
    asks: { idempotent: true, run: (_args, task) => task.ask({ message: 'Go on?', schema }) },
  });
  const { taskId } = (await engine.submit('asks', {}, { principal: 'ann' })).task;
  await untilStatus({ get: (id) => engine.get(id, { principal: 'ann' }) }, taskId, 'input_required');
  return { engine, taskId };
}

describe.each(storeKinds)('principals on the %s store', (kind) => {
  it.each(Object.keys(verbs))(
    "[ENGINE-45] [INPUT-14] %s of another's task answers exactly as for an unknown one",
    async (name) => {
      const { engine, taskId } = await openAsking(kind);
      const verb = verbs[name] as (typeof verbs)[string];
      const refusal = async (id: string, principal: Principal) => {
        const error = await verb(engine, id, principal).then(
          () => 'was allowed',
          (thrown: { code: string; message: string; data: unknown }) => thrown,
        );
        if (typeof error === 'string') return error;
        return { code: error.code, message: error.message.replace(id, '<id>'), data: error.data };
      };
      const unknown = await refusal(UNKNOWN, 'bob');
      expect(unknown).toEqual({ code: 'TASK_NOT_FOUND', message: 'there is no task "<id>"', data: undefined });
      expect(await refusal(taskId, 'bob')).toEqual(unknown);
      expect(await refusal(taskId, 'local')).toEqual(unknown);
      const { status, questions } = await engine.get(taskId, { principal: 'ann' });
      expect({ status, answer: questions[0]?.answer }).toEqual({ status: 'input_required', answer: undefined });
    },
  );

  it('[ENGINE-45] a list shows only what is your own, whatever the filter says', async () => {
    const { engine, taskId } = await openAsking(kind);
    expect((await engine.list({}, { principal: 'bob' })).tasks).toEqual([]);
    expect((await engine.list({ principal: 'ann' }, { principal: 'bob' })).tasks).toEqual([]);
    expect((await engine.list({}, { principal: 'ann' })).tasks).toMatchObject([{ taskId }]);
  });

  it('[ENGINE-45] the operator sees and may do everything', async () => {
    const { engine, taskId } = await openAsking(kind);
    expect((await engine.list({}, { principal: OPERATOR })).tasks).toMatchObject([{ taskId }]);
    expect((await engine.watch(taskId, { principal: OPERATOR }).next()).value).toMatchObject({ seq: 1 });
    await engine.answer(taskId, { q1: { action: 'accept', content: {} } }, { principal: OPERATOR });
    expect(await engine.outcome(taskId, { principal: OPERATOR })).toEqual({ kind: 'result', value: {} });
  });

  it('[ENGINE-45] a list comes in pages, newest first', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ any: { run: () => 1 } });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await engine.submit('any', i)).task.taskId);
    const seen: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await engine.list({ limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids);
    await expect(engine.list({ limit: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(engine.list({ limit: 1001 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
