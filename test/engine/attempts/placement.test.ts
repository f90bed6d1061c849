import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { Placement } from '../../../src/engine/attempts/placement.ts';
import { parseTool } from '../../../src/engine/tool.ts';
import { openRig, type Rig } from '../open-rig.ts';

const toTool = (name: string, isolate?: boolean | 'auto') =>
  parseTool(name, { run: () => 1, ...(isolate !== undefined && { isolate }) });

/** Makes suspects of all that is queued, by a worker that takes everything and is lost. */
async function loseWorker({ store }: Rig, tool: string): Promise<void> {
  const process = { host: 'gone', pid: 1, startTime: 'gone' };
  const worker = { workerId: 'lost', identity: 'test', kind: 'inline', build: { id: 'b', at: 1 }, leaseMs: 1 } as const;
  await store.workers.register({ ...worker, process });
  await store.tasks.claim({ worker: 'lost', identity: 'test', free: { [tool]: 9 }, max: 9 });
  const [{ until } = { until: 0 }] = await store.workers.list();
  await store.tasks.recover({ workerId: 'lost', until, reason: 'its worker process ended', delaysMs: [0] });
}

describe('where an attempt runs', () => {
  const suspect = { losses: 1 };

  it('[BAD-254] [BAD-260] a suspect runs apart unless its tool forbids it, and alone where that is impossible', () => {
    const placement = new Placement({ canIsolate: true, movesByDefault: false });
    expect(placement.choose(toTool('a'), {})).toBe('worker');
    expect(placement.choose(toTool('a', true), {})).toBe('apart');
    expect(placement.choose(toTool('a'), suspect)).toBe('apart');
    expect(placement.choose(toTool('a', 'auto'), suspect)).toBe('apart');
    expect(placement.choose(toTool('a', false), { losses: 9 })).toBe('worker');
    const rooted = new Placement({ canIsolate: false, movesByDefault: true });
    expect(rooted.choose(toTool('a', true), {})).toBe('worker');
    expect(rooted.choose(toTool('a', true), suspect)).toBe('worker');
    expect(rooted.choose(toTool('a', true), { losses: 2 })).toBe('alone');
    expect(rooted.choose(toTool('a'), { losses: 2 })).toBe('alone');
  });

  it('[BAD-260] a thread or a process under a parent is not run again by itself, but when its tool asks for it', () => {
    const placement = new Placement({ canIsolate: true, isWhole: false, movesByDefault: true });
    placement.noteBlocking(['a']);
    expect(placement.choose(toTool('a'), {})).toBe('worker');
    expect(placement.choose(toTool('a'), { losses: 2 })).toBe('alone');
    expect(placement.choose(toTool('a', true), {})).toBe('apart');
  });

  it('[BAD-259] a tool that blocked moves where it may: in a detached worker by default, in an inline one when told', () => {
    const detached = new Placement({ canIsolate: true, movesByDefault: true });
    const inline = new Placement({ canIsolate: true, movesByDefault: false });
    for (const placement of [detached, inline]) placement.noteBlocking(['a']);
    expect(detached.choose(toTool('a'), {})).toBe('apart');
    expect(detached.choose(toTool('a', false), {})).toBe('worker');
    expect(detached.choose(toTool('b'), {})).toBe('worker');
    expect(inline.choose(toTool('a'), {})).toBe('worker');
    expect(inline.choose(toTool('a', 'auto'), {})).toBe('apart');
  });

  it('[BAD-259] of several tools that were at work during a block, those move that were there again', () => {
    const placement = new Placement({ canIsolate: true, movesByDefault: true });
    placement.noteBlocking(['a', 'b']);
    expect(placement.choose(toTool('a'), {})).toBe('worker');
    placement.noteBlocking(['a', 'c']);
    expect(['a', 'b', 'c'].map((name) => placement.choose(toTool(name), {}))).toEqual(['apart', 'worker', 'worker']);
  });

  it('[BAD-260] where nothing can run apart, a suspect waits for the others and then has the worker to itself', async () => {
    const rig = await openRig('memory');
    const most = new Map<string, number>();
    let atWork = 0;
    const count = async (kind: string, wait: Promise<void>) => {
      atWork += 1;
      most.set(kind, Math.max(most.get(kind) ?? 0, atWork));
      await wait;
      atWork -= 1;
    };
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const soon = () => new Promise<void>((resolve) => setImmediate(resolve));
    const engine = await rig.idleEngine({
      deadly: { idempotent: true, run: () => count('suspect', soon()) },
      busy: { run: () => count('other', opened) },
    });
    const suspects = [(await engine.submit('deadly')).task, (await engine.submit('deadly')).task];
    for (let loss = 1; loss <= 2; loss++) await loseWorker(rig, 'deadly');
    const others = [(await engine.submit('busy')).task, (await engine.submit('busy')).task];
    await engine.start();
    for (const { taskId } of others) await untilStatus(engine, taskId, 'working');
    expect(most.get('suspect') ?? 0).toBe(0);
    open();
    for (const { taskId } of [...suspects, ...others]) {
      expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: null });
    }
    expect(most.get('suspect')).toBe(1);
  });
});
