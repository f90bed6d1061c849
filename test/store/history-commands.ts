/** What can happen to a store in a random history; each command is done to the store and to the model. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import type { SettledOutcome } from '../../src/task/outcome.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';
import { checkAgreement } from './history-agreement.ts';
import type { Model, ModelLease } from './history-model.ts';

export interface Real {
  readonly store: Store;
  readonly clock: FakeClock;
  /** Everything that came back, so that a test can tell that its histories were worth something. */
  readonly seen: Set<string>;
}

type Step = (model: Model, real: Real) => Promise<void>;

const IDENTITY = 'reports';
const LEASE_MS = 5000;
/** By attempt; the last counts for all later ones. */
const DELAYS = [0, 100, 200] as const;
const DELAY = (attempt: number) => DELAYS[Math.min(attempt, DELAYS.length) - 1] ?? 0;

/** One command. The two must agree on everything after it. */
class Command implements fc.AsyncCommand<Model, Real> {
  readonly #title: string;
  readonly #step: Step;

  constructor(name: string, input: unknown, step: Step) {
    this.#title = `${name} ${JSON.stringify(input)}`;
    this.#step = step;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.#step(model, real);
    await checkAgreement(model, real.store);
  }

  toString(): string {
    return this.#title;
  }
}

export function command<T>(name: string, input: fc.Arbitrary<T>, step: (input: T) => Step): fc.Arbitrary<Command> {
  return input.map((one) => new Command(name, one, step(one)));
}

const recent = fc.nat({ max: 4 });
/** Three times of four a lease that is still held, else one of the last, held or lost. */
const anyLease = fc.record({ isHeld: fc.constantFrom(true, true, true, false), back: recent });
type LeaseChoice = { readonly isHeld: boolean; readonly back: number };
const worker = fc.nat({ max: 2 });

const create = command(
  'create',
  fc.record({
    key: fc.constantFrom(undefined, undefined, undefined, 'k1', 'k2'),
    alias: fc.constantFrom(undefined, undefined, undefined, 'a1', 'a2'),
    tool: fc.constantFrom('a', 'b'),
    principal: fc.constantFrom('ada', 'ada', 'bob', 'cy'),
    args: fc.nat({ max: 1 }),
    idempotent: fc.boolean(),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
    ttlMs: fc.constantFrom(0, 500, null),
    undelivered: fc.constantFrom(0, 0, 1, 2),
    startWithinMs: fc.constantFrom(undefined, undefined, 200),
    queue: fc.constantFrom(undefined, undefined, 'tv', 'tv', 'pc'),
    queueLimit: fc.constantFrom(3, 100),
    queued: fc.constantFrom(2, 100, 100),
  }),
  ({ queueLimit, queued, ...wanted }) =>
    async (model, { store, seen }) => {
      model.created += 1;
      const taskId = `task-${model.created}`;
      const { key: idempotencyKey, alias, undelivered, startWithinMs, queue, ...rest } = wanted;
      const result = await store.tasks.create(
        {
          ...rest,
          taskId,
          identity: IDENTITY,
          pollIntervalMs: 1000,
          deliver: Array.from({ length: undelivered }, () => ({ topic: 'bell' })),
          // Leaves out what is undefined.
          ...JSON.parse(JSON.stringify({ alias, startWithinMs, idempotencyKey, queue })),
        },
        { queueLimit, share: { queued, storedBytes: Number.POSITIVE_INFINITY } },
      );
      const told = {
        created: () => ('task' in result ? result.task.taskId : ''),
        joined: () => ('task' in result ? result.task.taskId : ''),
        conflict: () => (result.kind === 'conflict' ? `${result.on} ${result.taskId}` : ''),
        full: () => (result.kind === 'full' ? result.queued : ''),
        'over-share': () => (result.kind === 'over-share' ? `${result.limit} ${result.used}` : ''),
      };
      expect(`${result.kind} ${told[result.kind]()}`).toBe(model.create({ ...wanted, taskId }, { queueLimit, queued }));
      seen.add(`create ${result.kind}`);
    },
);

const startWorker = command('start a worker', fc.constant(''), () => register);

/** Adds a worker to both. */
export async function register(model: Model, { store }: Pick<Real, 'store'>): Promise<void> {
  model.started += 1;
  const workerId = `worker-${model.started}`;
  const process = { host: 'host', pid: 1, startTime: 'x' };
  const build = { id: 'b', at: 1 };
  const registered = { workerId, identity: IDENTITY, kind: 'inline', build, leaseMs: LEASE_MS, process } as const;
  expect(await store.workers.register(registered)).toBe(true);
  model.workers.add(workerId);
}

const claim = command(
  'claim',
  fc.record({
    worker,
    free: fc.record({ a: fc.constantFrom(0, 1, 2, 2), b: fc.constantFrom(0, 1, 2, 2) }),
    max: fc.constantFrom(0, 1, 2, 3, 3),
    most: fc.constantFrom(1, 2, 9),
    suspects: fc.record({ losses: fc.constantFrom(1, 1, 2), max: fc.constantFrom(0, 1, 99, 99) }),
  }),
  ({ worker: back, free, max, most, suspects }) =>
    async (model, { store, seen }) => {
      const workerId = workerAt(model, back);
      const admits = ({ taken }: { taken: number }) => taken < most;
      const claimed = await store.tasks.claim({ worker: workerId, identity: IDENTITY, free, max, suspects, admits });
      const wanted = model.claim(workerId, { free, max, most, suspects });
      const steps = wanted.map((task) => [task.taskId, [...new Set(task.steps)].sort()]);
      expect(claimed.map((one) => [one.task.taskId, Object.keys(one.steps).sort()])).toEqual(steps);
      if (claimed.some((one) => one.task.queue !== undefined)) seen.add('claim from a queue');
      if (model.tasks.some((task) => task.status === 'queued' && model.isBehind(task))) seen.add('wait in a queue');
      if (claimed.some((one) => one.task.attempt > 1)) seen.add('claim again');
      if (claimed.some((one) => (one.task.losses ?? 0) > 0)) seen.add('claim a suspect');
      if (new Set(claimed.map((one) => one.task.principal)).size > 1) seen.add('claim for several');
    },
);

const write = command(
  'write',
  fc.record({
    lease: anyLease,
    progress: fc.nat({ max: 100 }),
    step: fc.option(fc.constantFrom('s1', 's2'), { freq: 2 }),
  }),
  ({ lease, progress, step }) =>
    fenced('write', lease, async (model, { store }, held) => [
      await store.tasks.write(held, {
        events: [{ type: 'progress', value: progress }],
        ...(step && { step: { name: step, value: progress } }),
      }),
      model.write(held, { progress, ...(step && { step }) }),
    ]),
);

const ask = command(
  'ask',
  fc.record({ lease: anyLease, keys: fc.subarray(['q1', 'q2', 'q3'], { minLength: 1, maxLength: 2 }) }),
  ({ lease, keys }) =>
    fenced('ask', lease, async (model, { store }, held) => {
      const asked = [];
      for (const key of keys) asked.push(await store.tasks.ask(held, { key, request: { kind: 'roots' } }));
      return [asked.every(Boolean), keys.map((key) => model.ask(held, key)).every(Boolean)];
    }),
);

const park = command('park', anyLease, (lease) =>
  fenced('park', lease, async (model, { store }, held) => [
    await store.tasks.release(held, { how: 'park' }),
    model.park(held),
  ]),
);

const requeue = command(
  'requeue',
  fc.record({ lease: anyLease, waitMs: fc.constantFrom(0, 0, 300), countsAsAttempt: fc.boolean() }),
  ({ lease, waitMs, countsAsAttempt }) =>
    fenced('requeue', lease, async (model, { store }, held) => {
      const runAt = model.now + waitMs;
      const released = await store.tasks.release(held, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt });
      return [released, model.requeue(held, runAt, countsAsAttempt)];
    }),
);

const OUTCOMES: Record<string, SettledOutcome> = {
  result: { kind: 'result', value: [1] },
  error: { kind: 'error', error: { code: 'TOOL_FAILED', message: 'No paper' } },
  cancelled: { kind: 'cancelled', reason: 'not needed' },
};

const settle = command(
  'settle',
  fc.record({ lease: anyLease, kind: fc.constantFrom('result', 'error', 'cancelled'), isStopping: fc.boolean() }),
  ({ lease, kind, isStopping }) =>
    fenced('settle', lease, async (model, { store }, held) => {
      const { taskId, fence } = held;
      const outcome = OUTCOMES[kind] ?? expect.unreachable();
      const settled = await store.tasks.settle({ taskId, fence }, { outcome, ranMs: 1, isStopping });
      return [settled, model.settle(held, { kind, isStopping })];
    }),
);

const leaveQueue = command('leave the queue', recent, (back) => async (model, { store, seen }) => {
  const stopping = model.leases.filter((lease) => model.find(lease.taskId)?.leaving === lease.worker);
  const lease = stopping[back % Math.max(1, stopping.length)] ?? model.leases.at(-1 - back);
  if (lease === undefined) return;
  const hasLeft = await store.tasks.release(lease, { how: 'leave-queue' });
  expect(hasLeft).toBe(model.leaveQueue(lease));
  seen.add(`leave the queue ${hasLeft}`);
});

const cancel = command('cancel', recent, (back) => async (model, { store, seen }) => {
  const taskId = taskAt(model, back);
  const outcome = OUTCOMES.cancelled ?? expect.unreachable();
  const cancelled = await store.tasks.settle({ taskId }, { outcome });
  expect(cancelled).toBe(model.cancel(taskId));
  seen.add(`cancel ${cancelled}`);
});

const answer = command(
  'answer',
  fc.record({ task: recent, keys: fc.subarray(['q1', 'q2', 'q3', 'q9'], { minLength: 1 }) }),
  ({ task, keys }) =>
    async (model, { store, seen }) => {
      const taskId = taskAt(model, task);
      const answers = Object.fromEntries(keys.map((one) => [one, { action: 'accept', content: one } as const]));
      const result = await store.tasks.answer(taskId, answers);
      expect(result?.accepted).toEqual(model.answer(taskId, keys));
      seen.add(`answer ${result?.accepted.length}`);
    },
);

const recover = command(
  'recover',
  fc.record({ worker, beats: fc.boolean() }),
  ({ worker: back, beats }) =>
    async (model, { store, seen }) => {
      const workerId = workerAt(model, back);
      const until = (await store.workers.list()).find((one) => one.workerId === workerId)?.until ?? 0;
      if (beats && (await store.workers.renew(workerId, LEASE_MS))) model.stalled.delete(workerId);
      const recovered = await store.tasks.recover({ workerId, until, reason: 'It died', delaysMs: DELAYS });
      const told = recovered?.map(({ taskId, status }) => `${taskId} ${status}`).sort();
      expect(told).toEqual(beats ? undefined : model.recover(workerId, DELAY)?.sort());
      for (const { status } of recovered ?? []) seen.add(`recover ${status}`);
      if (recovered === undefined) seen.add('recover nothing');
    },
);

const stall = command(
  'stall',
  fc.record({ worker, beats: fc.boolean() }),
  ({ worker: back, beats }) =>
    async (model, { store, seen }) => {
      const workerId = workerAt(model, back);
      if (beats && (await store.workers.renew(workerId, LEASE_MS))) model.stalled.delete(workerId);
      const until = (await store.workers.list()).find((one) => one.workerId === workerId)?.until ?? 0;
      const look = { workerId, until, by: 'judge', stallMs: 1000, toWatchedMs: () => 1000 };
      const first = await store.workers.observe(look);
      const second = await store.workers.observe({ ...look, ...(first && { after: first.looks }) });
      const isNews = first?.stalledMs === undefined && second?.stalledMs !== undefined;
      expect(isNews).toBe(model.stall(workerId));
      seen.add(`stall ${isNews}`);
    },
);

const deliver = command(
  'deliver',
  fc.record({ max: fc.integer({ min: 1, max: 3 }), arrives: fc.boolean() }),
  ({ max, arrives }) =>
    async (model, { store, seen }) => {
      const { messages } = await store.outbox.take({ topics: ['bell'], max, holdMs: 50 });
      for (const { messageId, task } of messages) {
        const told = model.find(task.taskId) ?? expect.unreachable();
        expect([told.endedAt, told.undelivered > 0]).toEqual([task.endedAt, true]);
        if (!arrives) continue;
        await store.outbox.done(messageId);
        told.undelivered -= 1;
        seen.add('delivered');
      }
    },
);

const sweep = command(
  'sweep',
  fc.record({ prune: fc.boolean(), keptMs: fc.constantFrom(1, 1000) }),
  ({ prune, keptMs }) =>
    async (model, { store, seen }) => {
      const { now } = model;
      const endedBefore = prune ? now - 200 : 0;
      const request = { expiresBefore: now, endedBefore, tombstonesBefore: now - keptMs, limit: 1000 };
      const { expired, forgotten } = await store.tasks.sweep(request);
      expect([expired, forgotten]).toEqual(model.sweep(now, endedBefore, now - keptMs));
      if (expired > 0) seen.add('expired');
      if (forgotten > 0) seen.add('forgotten');
    },
);

const advance = command('advance', fc.constantFrom(1, 50, 100, 300, 1000), (ms) => async (model, { clock }) => {
  await clock.advance(ms);
  model.now += ms;
});

/** The commands, the ones that make room for others more often. */
export const commands: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] = [
  ...[create, create, claim, claim, claim, startWorker, startWorker, answer, answer, advance],
  ...[write, ask, ask, park, requeue, settle, leaveQueue, cancel, stall, recover, recover, deliver, sweep, sweep],
];

/** Runs a write with a lease, current or lost. */
function fenced(
  name: string,
  { isHeld, back }: LeaseChoice,
  both: (model: Model, real: Real, lease: ModelLease) => Promise<[boolean, boolean]>,
): Step {
  return async (model, real) => {
    const leases = isHeld ? model.leases.filter((one) => model.held(one)) : model.leases;
    const lease = leases.at(-1 - (back % Math.max(1, leases.length)));
    if (!lease) return;
    const [happened, wanted] = await both(model, real, lease);
    expect(happened).toBe(wanted);
    real.seen.add(`${name} ${happened}`);
  };
}

function workerAt(model: Model, back: number): string {
  return [...model.workers].at(-1 - back) ?? 'nobody';
}

function taskAt(model: Model, back: number): string {
  return model.tasks.at(-1 - back)?.taskId ?? 'unknown';
}
