import assert from 'node:assert/strict';
import type { Claimed, CreateResult, Share } from '../../../store/contracts/task-contract.ts';
import type { NewTask } from '../../../task/record.ts';
import { type ContractCase, IDENTITY, type Scene, TOOL } from '../scene.ts';

const NO_LIMIT: Share = { queued: Number.POSITIVE_INFINITY, storedBytes: Number.POSITIVE_INFINITY };

export const sharesCases: readonly ContractCase[] = [
  {
    title: 'principals take turns, one task each, whoever came first and however many tasks they have',
    run: async (scene) => {
      await submitMany(scene, 'flood', 20);
      await submitMany(scene, 'quiet', 2);
      const worker = await scene.startWorker();
      assert.deepEqual(owners(await scene.claim(worker, { max: 5 })), ['flood', 'quiet', 'flood', 'quiet', 'flood']);
    },
  },
  {
    title: 'whoever was served longest ago is next, whichever worker claims',
    run: async (scene) => {
      for (const principal of ['a', 'b', 'c']) await submitMany(scene, principal, 4);
      const workers = [await scene.startWorker(), await scene.startWorker()];
      const served: string[] = [];
      for (let n = 0; n < 7; n++) served.push(...owners(await scene.claim(workers[n % 2] ?? '', { max: 1 })));
      assert.deepEqual(served, ['a', 'b', 'c', 'a', 'b', 'c', 'a']);
      await submitMany(scene, 'd', 1);
      assert.deepEqual(owners(await scene.claim(workers[0] ?? '', { max: 2 })), ['d', 'b']);
    },
  },
  {
    title: 'the turns of a principal are the same for all its tools',
    run: async (scene) => {
      for (let n = 0; n < 10; n++) for (const tool of ['x', 'y', 'z']) await scene.submit({ principal: 'flood', tool });
      for (let n = 0; n < 3; n++) await scene.submit({ principal: 'quiet', tool: 'z' });
      const worker = await scene.startWorker();
      const free = { x: 9, y: 9, z: 9 };
      const first = owners(await scene.claim(worker, { free, max: 1 }));
      const then = owners(await scene.claim(worker, { free, max: 4 }));
      assert.deepEqual([...first, ...then], ['flood', 'quiet', 'flood', 'quiet', 'flood']);
    },
  },
  {
    title: 'a tool without slots holds up nobody who waits for another',
    run: async (scene) => {
      for (const principal of ['a', 'b', 'c', 'd']) await scene.submit({ principal, tool: 'full' });
      await scene.submit({ principal: 'a', tool: 'free' });
      await scene.submit({ principal: 'z', tool: 'free' });
      const worker = await scene.startWorker();
      assert.deepEqual(owners(await scene.claim(worker, { free: { full: 0, free: 2 }, max: 2 })), ['a', 'z']);
      const rest = await scene.claim(worker, { free: { full: 9 }, max: 9 });
      assert.deepEqual(owners(rest), ['b', 'c', 'd', 'a']);
    },
  },
  {
    title: 'a principal gets no more than it is admitted for, and the others get the rest',
    run: async (scene) => {
      await submitMany(scene, 'flood', 5);
      await submitMany(scene, 'quiet', 5);
      const worker = await scene.startWorker();
      const wishes: string[] = [];
      const claimed = await scene.claim(worker, {
        max: 6,
        admits: ({ principal, tool, taken, takenOfTool, left, leftOfTool }) => {
          wishes.push(`${principal} ${tool} ${taken} ${takenOfTool}`);
          assert.ok(left > 0 && leftOfTool > 0 && leftOfTool <= left && left <= 6);
          return principal === 'quiet' || taken < 2;
        },
      });
      assert.deepEqual(owners(claimed), ['flood', 'quiet', 'flood', 'quiet', 'quiet', 'quiet']);
      assert.ok(wishes.includes(`flood ${TOOL} 2 2`), `asked for were ${wishes.join(', ')}`);
      assert.deepEqual(await scene.claim(worker, { admits: () => false }), []);
      assert.equal((await scene.store.tasks.backlog(IDENTITY)).queued, 4);
    },
  },
  {
    title: 'a task that is due later keeps its principal in the queue and holds up no other',
    run: async (scene) => {
      const late = await scene.begin({ principal: 'a' });
      const runAt = scene.clock.now() + 1000;
      await scene.store.tasks.release(late, { how: 'requeue', reason: 'retry', runAt, countsAsAttempt: true });
      await submitMany(scene, 'b', 1);
      assert.deepEqual(owners(await scene.claim(late.worker, { max: 2 })), ['b']);
      await scene.clock.advance(1000);
      assert.deepEqual(owners(await scene.claim(late.worker, { max: 2 })), ['a']);
    },
  },
  {
    title: 'a principal whose last queued task was cancelled, and who comes again, is served',
    run: async (scene) => {
      const { taskId } = await scene.submit({ principal: 'a' });
      await scene.store.tasks.settle({ taskId }, { outcome: { kind: 'cancelled', reason: 'no' } });
      const worker = await scene.startWorker();
      assert.deepEqual(await scene.claim(worker), []);
      await submitMany(scene, 'a', 1);
      assert.deepEqual(owners(await scene.claim(worker)), ['a']);
    },
  },
  {
    title: 'no more tasks of a principal may wait than its share, for a worker or for an answer; others may',
    run: async (scene) => {
      const share = { ...NO_LIMIT, queued: 2 };
      const asking = await scene.begin({ principal: 'a' });
      await scene.store.tasks.ask(asking, { key: 'q', request: { kind: 'roots' } });
      assert.equal((await create(scene, { principal: 'a', idempotencyKey: 'k' }, share)).kind, 'created');
      const refused = { kind: 'over-share', limit: 'queued', used: 2 } as const;
      assert.deepEqual(await create(scene, { principal: 'a' }, share), refused);
      assert.equal((await create(scene, { principal: 'a', idempotencyKey: 'k' }, share)).kind, 'joined');
      assert.equal((await create(scene, { principal: 'b' }, share)).kind, 'created');
      assert.equal((await create(scene, { principal: 'a', identity: 'other' }, share)).kind, 'created');
      await scene.claim(asking.worker, { max: 9 });
      assert.equal((await create(scene, { principal: 'a' }, share)).kind, 'created');
    },
  },
  {
    title: 'what a task stores counts for its principal until it expires, and its tombstone until it is forgotten',
    run: async (scene) => {
      const used = () => usedBytes(scene, 'a');
      assert.equal(await used(), 0);
      const lease = await scene.begin({ principal: 'a', args: { text: 'x'.repeat(10_000) }, ttlMs: 0 });
      const sizes = [await used()];
      await scene.store.tasks.write(lease, { step: { name: 's', value: 'y'.repeat(10_000) } });
      sizes.push(await used());
      await scene.store.tasks.write(lease, { events: [{ type: 'stream', data: 'ä'.repeat(10_000) }] });
      sizes.push(await used());
      await scene.store.tasks.ask(lease, { key: 'q', request: { kind: 'sampling', params: 'q'.repeat(10_000) } });
      sizes.push(await used());
      const answer = { action: 'accept', content: 'z'.repeat(10_000) } as const;
      await scene.store.tasks.answer(lease.taskId, { q: answer });
      sizes.push(await used());
      await scene.store.tasks.settle(lease, { outcome: { kind: 'result', value: 'r'.repeat(10_000) } });
      sizes.push(await used());
      for (const [place, size] of sizes.entries()) assert.ok(size > (sizes[place - 1] ?? 0) + 9999, sizes.join(', '));
      assert.ok((sizes[2] ?? 0) > 40_000, 'a letter of two bytes counts for two');
      assert.equal(await usedBytes(scene, 'b'), 0);
      const now = scene.clock.now();
      await scene.store.tasks.sweep({ expiresBefore: now, tombstonesBefore: 0, limit: 10 });
      const tombstone = await used();
      assert.ok(tombstone > 0 && tombstone < 2000, `the tombstone counts for ${tombstone}`);
      await scene.store.tasks.sweep({ expiresBefore: 0, tombstonesBefore: now, limit: 10 });
      assert.equal(await used(), 0);
    },
  },
  {
    title: 'a task that does not fit into the share is refused, the last that fits is not, and other identities count',
    run: async (scene) => {
      const args = 'x'.repeat(5000);
      assert.equal((await create(scene, { principal: 'a', args }, NO_LIMIT)).kind, 'created');
      const one = await usedBytes(scene, 'a');
      const share = { ...NO_LIMIT, storedBytes: 2 * one };
      assert.equal((await create(scene, { principal: 'a', args, identity: 'other' }, share)).kind, 'created');
      const refused = { kind: 'over-share', limit: 'storedBytes', used: 2 * one } as const;
      assert.deepEqual(await create(scene, { principal: 'a', args: 1 }, share), refused);
      assert.equal((await create(scene, { principal: 'b', args }, share)).kind, 'created');
    },
  },
  {
    title: 'trimmed events count no longer',
    run: async (scene) => {
      const lease = await scene.begin({ principal: 'a' });
      const events = Array.from({ length: 5000 }, () => ({ type: 'stream', data: 'x'.repeat(100) }) as const);
      for (let n = 0; n < 2; n++) await scene.store.tasks.write(lease, { events });
      const full = await usedBytes(scene, 'a');
      assert.ok(full > 10_000 * 100, `10,000 events of 100 bytes count for ${full}`);
      await scene.store.tasks.write(lease, { events });
      await scene.store.tasks.sweep({ expiresBefore: 0, tombstonesBefore: 0, limit: 10 });
      const trimmed = await usedBytes(scene, 'a');
      assert.ok(Math.abs(trimmed - full) < full / 100, `they count for ${full}, and for ${trimmed} after 5,000 more`);
    },
  },
];

function owners(claimed: readonly Claimed[]): string[] {
  return claimed.map((one) => one.task.principal);
}

async function submitMany(scene: Scene, principal: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await scene.submit({ principal });
}

function create(scene: Scene, over: Partial<NewTask>, share: Share): Promise<CreateResult> {
  return scene.store.tasks.create(scene.toNewTask(over), { queueLimit: 100_000, share });
}

/** Creates a task that must be refused: the refusal contains the used bytes. */
async function usedBytes(scene: Scene, principal: string): Promise<number> {
  const result = await create(scene, { principal }, { ...NO_LIMIT, storedBytes: 0 });
  return result.kind === 'over-share' && result.limit === 'storedBytes' ? result.used : assert.fail(result.kind);
}
