import type { Store } from 'holdfast';
import type { Claimed, NewTask } from 'holdfast/store';
import { describe, expect, it } from 'vitest';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();
const IDENTITY = 'reports';

interface Claiming {
  readonly max?: number;
  readonly admits?: (wish: { readonly principal: string }) => boolean;
}

/** Writes tasks and claims in the same turn, so that both share a transaction. */
class Desk {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  static async open(): Promise<Desk> {
    const store = await scratch.open();
    const process = { host: 'host', pid: 4000, startTime: 'boot+1' };
    const build = { id: 'build-1', at: 1 };
    await store.workers.register({
      workerId: 'w',
      identity: IDENTITY,
      kind: 'inline',
      build,
      leaseMs: 60_000,
      process,
    });
    return new Desk(store);
  }

  submit(taskId: string, over: Partial<NewTask> = {}) {
    const task = { taskId, tool: 'render', args: { taskId }, principal: 'ada', identity: IDENTITY, ttlMs: 60_000 };
    const more = { pollIntervalMs: 1000, idempotent: true, maxAttempts: 3, deliver: [] };
    return this.store.tasks.create({ ...task, ...more, ...over }, { queueLimit: 1000 });
  }

  claim({ max = 100, admits }: Claiming = {}): Promise<Claimed[]> {
    const request = { worker: 'w', identity: IDENTITY, free: { render: max }, max };
    // As a worker asks, so that it is not made one with others.
    return this.store.tasks.claim({ ...request, admits: admits ?? (() => true) });
  }

  async submitAndClaim(ids: readonly (readonly [string, Partial<NewTask>?])[], claiming?: Claiming) {
    const writing = ids.map(([taskId, over]) => this.submit(taskId, over));
    const claimed = await this.claim(claiming);
    for (const { kind } of await Promise.all(writing)) expect(kind).toBe('created');
    return claimed.map(({ task }) => task.taskId);
  }

  async types(taskId: string) {
    return (await this.store.tasks.events(taskId, 0, 10)).map(({ type }) => type);
  }
}

describe('a claim that shares the transaction of new tasks', () => {
  it('[PG-272] has them at once, whole, and all that was written is there', async () => {
    const desk = await Desk.open();
    const writing = desk.submit('a', { labels: { for: 'you' } });
    const [claimed] = await desk.claim();
    expect((await writing).kind).toBe('created');
    expect(claimed?.task).toEqual(await desk.store.tasks.get({ taskId: 'a' }));
    expect(claimed?.task).toMatchObject({ status: 'working', attempt: 1, fence: 1, args: { taskId: 'a' } });
    expect(await desk.types('a')).toEqual(['submitted', 'claimed']);
    const lease = { taskId: 'a', fence: 1, worker: 'w' };
    expect(await desk.store.tasks.settle(lease, { outcome: { kind: 'result', value: 1 } })).toBe(true);
    expect(await desk.types('a')).toEqual(['submitted', 'claimed', 'ended']);
  });

  it('[PG-272] takes what waited before them first', async () => {
    const desk = await Desk.open();
    await desk.submit('old');
    expect(await desk.submitAndClaim([['new']], { max: 1 })).toEqual(['old']);
    expect(await desk.submitAndClaim([['newer']])).toEqual(['new', 'newer']);
  });

  it('[PG-272] takes as many as there are slots, the oldest first, and leaves the rest in the queue', async () => {
    const desk = await Desk.open();
    expect(await desk.submitAndClaim([['a'], ['b'], ['c']], { max: 2 })).toEqual(['a', 'b']);
    expect((await desk.store.tasks.get({ taskId: 'c' }))?.status).toBe('queued');
    expect((await desk.claim()).map(({ task }) => task.taskId)).toEqual(['c']);
  });

  it('[PG-272] serves the principal that was served longest ago', async () => {
    const desk = await Desk.open();
    expect(await desk.submitAndClaim([['a1']])).toEqual(['a1']);
    const both: [string, Partial<NewTask>?][] = [['a2'], ['b1', { principal: 'bob' }]];
    expect(await desk.submitAndClaim(both, { max: 1 })).toEqual(['b1']);
    expect((await desk.claim()).map(({ task }) => task.taskId)).toEqual(['a2']);
  });

  it('[PG-272] gives nobody more than they are admitted for', async () => {
    const desk = await Desk.open();
    const admits = ({ principal }: { readonly principal: string }) => principal !== 'ada';
    const both: [string, Partial<NewTask>?][] = [['a1'], ['b1', { principal: 'bob' }]];
    expect(await desk.submitAndClaim(both, { admits })).toEqual(['b1']);
    expect((await desk.store.tasks.get({ taskId: 'a1' }))?.status).toBe('queued');
  });

  it('[PG-272] takes one of a queue', async () => {
    const desk = await Desk.open();
    const line = { queue: 'line' };
    const three: [string, Partial<NewTask>?][] = [['a', line], ['b', line], ['c']];
    expect((await desk.submitAndClaim(three)).toSorted()).toEqual(['a', 'c']);
    expect((await desk.store.tasks.get({ taskId: 'b' }))?.status).toBe('queued');
  });

  it('[PG-272] leaves alone what is of another identity or tool', async () => {
    const desk = await Desk.open();
    const others: [string, Partial<NewTask>?][] = [['a', { identity: 'other' }], ['b', { tool: 'print' }], ['c']];
    expect(await desk.submitAndClaim(others)).toEqual(['c']);
  });

  it('[PG-272] takes nothing for a worker that is not there, and the tasks are written', async () => {
    const desk = await Desk.open();
    await desk.store.workers.retire('w', { ifIdle: false });
    expect(await desk.submitAndClaim([['a']])).toEqual([]);
    expect((await desk.store.tasks.get({ taskId: 'a' }))?.status).toBe('queued');
  });
});
