import type { Store } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openLightRig } from './open-rig.ts';

type Verb = keyof Store['tasks'];

/** The same store, and how often each verb of its tasks was called. */
function countVerbs(store: Store): { store: Store; counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  const tasks = new Proxy(store.tasks, {
    get(target, name: Verb) {
      const verb = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        counts[name] = (counts[name] ?? 0) + 1;
        return Reflect.apply(verb, target, args);
      };
    },
  });
  return { store: { ...store, tasks }, counts };
}

describe('submitting', () => {
  it('[ROOMS-324] reads how long the tool took only now and then, once it has run often', async () => {
    const rig = await openLightRig();
    const { store, counts } = countVerbs(rig.store);
    const engine = await rig.engine({ noop: { run: () => 'done' } }, { store });
    const run = async () => (await engine.outcome((await engine.submit('noop', {})).task.taskId)).kind;
    for (let i = 0; i < 20; i++) expect(await run()).toBe('result');
    expect(counts.durations).toBe(20);
    for (let i = 0; i < 20; i++) await run();
    expect(counts.durations).toBeLessThan(40);
  });
});
