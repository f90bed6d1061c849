import type { Engine, TaskContext } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { updateTask } from '../../../dist/dialects/tasks-2026/server.js';
import { openLightRig } from '../../engine/open-rig.ts';

const accept = (name: string) => ({ action: 'accept', content: { name } }) as const;

/** The engine, with somebody who answers `a` just before each of our answers is written. */
function withRival(engine: Engine, taskId: string): Engine {
  return Object.assign(Object.create(engine) as Engine, {
    answer: async (...args: Parameters<Engine['answer']>) => {
      await engine.answer(taskId, { a: accept('rival') }).catch(() => {});
      return engine.answer(...args);
    },
  });
}

it('an update that loses one of its questions to somebody else still answers the others', async () => {
  const rig = await openLightRig('memory');
  const run = async (_: unknown, task: TaskContext) => {
    const ask = (key: string) => task.ask({ key, message: `${key}?`, schema: z.object({ name: z.string() }) });
    const [a, b] = await Promise.all([ask('a'), ask('b')]);
    return `${a.name} and ${b.name}`;
  };
  const engine = await rig.engine({ two: { run } });
  const { task } = await engine.submit('two', {});
  const { taskId, principal } = task;
  await until(async () => (await engine.get(taskId)).questions.length === 2);
  await updateTask(withRival(engine, taskId), { taskId, principal }, { a: accept('me'), b: accept('me') });
  expect(await engine.outcome(taskId)).toMatchObject({ kind: 'result', value: 'rival and me' });
});
