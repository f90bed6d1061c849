import assert from 'node:assert/strict';
import type { NewHold } from '../../store/contracts/hold-contract.ts';
import { type Adoption, FORGOTTEN_AFTER_MS, type NewServing } from '../../store/contracts/program-contract.ts';
import { type ContractCase, IDENTITY, type Scene, TOOL } from './scene.ts';

const OTHER = 'reports, with another environment';
const BY = { operator: 'ada' };

function toServing(over: Partial<NewServing> = {}): NewServing {
  const process = { host: 'host', pid: 100, startTime: 'boot+1' };
  return { servingId: 's1', identity: IDENTITY, name: 'reports', base: 'base', tools: [TOOL], process, ...over };
}

function adopt(scene: Scene, over: Partial<Adoption> = {}) {
  return scene.store.programs.adopt({ from: IDENTITY, to: OTHER, by: BY, limit: 100, ...over });
}

const toIds = (tasks: readonly { readonly taskId: string }[] | undefined) => tasks?.map(({ taskId }) => taskId);

export const programsCases: readonly ContractCase[] = [
  {
    title: 'programs are listed by name, the one whose engine was announced first most recently before the others',
    run: async (scene) => {
      const { programs } = scene.store;
      await programs.announce(toServing());
      await programs.announce(toServing({ servingId: 's2', identity: OTHER, tools: ['print'] }));
      await programs.announce(toServing({ servingId: 's3', identity: 'mail', name: 'mail' }));
      await scene.clock.advance(1000);
      // A repeated announcement does not make a program newer.
      await programs.announce(toServing());
      const { process } = toServing();
      const [newest, oldest, ...none] = await programs.list('reports');
      assert.deepEqual(none, []);
      assert.deepEqual([newest?.identity, newest?.tools, newest?.base], [OTHER, ['print'], 'base']);
      assert.deepEqual(oldest?.servings, [{ servingId: 's1', tools: [TOOL], process, seenAt: scene.clock.now() }]);
      assert.ok((newest?.seenAt ?? 0) > (oldest?.seenAt ?? 0));
      assert.equal((await programs.list()).length, 3);
      const servings = (await programs.servings()).filter(({ servingId }) => servingId === 's2');
      assert.deepEqual(servings, [{ servingId: 's2', tools: ['print'], process, seenAt: servings[0]?.seenAt }]);
      await programs.announce(toServing({ servingId: 's4', tools: ['bind'] }));
      const [again] = await programs.list('reports');
      assert.deepEqual([again?.identity, again?.tools, again?.servings.length], [IDENTITY, ['bind'], 2]);
    },
  },
  {
    title: 'a program tells how many of its tasks wait that no worker holds, by tool',
    run: async (scene) => {
      const { programs, tasks } = scene.store;
      await programs.announce(toServing());
      const held = await scene.begin();
      const parked = await scene.begin();
      for (const lease of [held, parked]) await tasks.ask(lease, { key: 'q', request: { kind: 'roots' } });
      await tasks.release(parked, { how: 'park' });
      await scene.submit();
      await scene.submit({ tool: 'print' });
      const [program] = await programs.list('reports');
      assert.deepEqual(program?.waiting, { [TOOL]: 2, print: 1 });
    },
  },
  {
    title: 'a program that nobody serves is remembered while it has tasks, and for a week',
    run: async (scene) => {
      const { programs } = scene.store;
      await programs.announce(toServing());
      await programs.announce(toServing({ servingId: 's2', identity: OTHER }));
      await scene.submit();
      for (const id of ['s1', 's2']) await programs.leave(id);
      await scene.clock.advance(FORGOTTEN_AFTER_MS - 1000);
      const names = async () => (await programs.list('reports')).map(({ identity }) => identity);
      await programs.announce(toServing({ servingId: 's3', identity: 'third' }));
      assert.deepEqual(await names(), ['third', OTHER, IDENTITY]);
      await scene.clock.advance(2000);
      await programs.announce(toServing({ servingId: 's3', identity: 'third' }));
      assert.deepEqual(await names(), ['third', IDENTITY]);
    },
  },
  {
    title: 'an identity of an earlier version gets the name of its program when it has tasks and is not known',
    run: async (scene) => {
      const { programs } = scene.store;
      await scene.submit({ identity: 'formerly' });
      await programs.announce(toServing({ formerly: ['formerly', 'never', IDENTITY] }));
      const [, former, ...none] = await programs.list('reports');
      assert.deepEqual([former?.identity, former?.waiting, none], ['formerly', { [TOOL]: 1 }, []]);
    },
  },
  {
    title: 'tasks that wait are adopted with all they have; those that a worker holds or that have ended are not',
    run: async (scene) => {
      const { tasks } = scene.store;
      const parked = await scene.begin();
      await tasks.write(parked, { step: { name: 'first', value: 1 } });
      await tasks.ask(parked, { key: 'q', request: { kind: 'roots' } });
      await tasks.release(parked, { how: 'park' });
      const held = await scene.begin();
      const queued = await scene.submit();
      const gone = { workers: [held.worker] };
      assert.deepEqual(toIds(await adopt(scene, { gone })), [queued.taskId, parked.taskId]);
      assert.equal((await scene.read(held.taskId)).identity, IDENTITY);
      assert.deepEqual(
        (await tasks.events(queued.taskId, 1, 9)).map(({ at: _, ...event }) => event),
        [{ type: 'adopted', from: IDENTITY, to: OTHER, by: BY, seq: 2 }],
      );
      assert.deepEqual(await tasks.backlog(IDENTITY), { queued: 0, leased: 1 });
      await tasks.answer(parked.taskId, { q: { action: 'decline' } });
      const worker = await scene.startWorker({ identity: OTHER });
      const claimed = await scene.claim(worker, { identity: OTHER });
      assert.deepEqual(new Set(toIds(claimed.map(({ task }) => task))), new Set([queued.taskId, parked.taskId]));
      const again = claimed.find(({ task }) => task.taskId === parked.taskId);
      assert.deepEqual([again?.steps, again?.task.fence], [{ first: 1 }, parked.fence + 1]);
    },
  },
  {
    title: 'only the tasks and tools that are named are adopted, at most as many as asked for, oldest first',
    run: async (scene) => {
      const render = [await scene.submit(), await scene.submit(), await scene.submit()];
      const print = await scene.submit({ tool: 'print' });
      const [first, second, third] = render.map(({ taskId }) => taskId);
      assert.deepEqual(toIds(await adopt(scene, { tools: ['print'] })), [print.taskId]);
      assert.deepEqual(toIds(await adopt(scene, { taskIds: [third ?? '', 'unknown'] })), [third]);
      assert.deepEqual(toIds(await adopt(scene, { limit: 1 })), [first]);
      assert.deepEqual(toIds(await adopt(scene, { from: 'nobody' })), []);
      assert.deepEqual(toIds(await adopt(scene)), [second]);
    },
  },
  {
    title: 'nothing is adopted from an identity with a worker or an engine that is not known to be gone',
    run: async (scene) => {
      const { programs, workers } = scene.store;
      const { taskId } = await scene.submit();
      await programs.announce(toServing());
      assert.equal(await adopt(scene), undefined);
      assert.equal(await adopt(scene, { gone: { servings: ['another'] } }), undefined);
      const worker = await scene.startWorker();
      assert.equal(await adopt(scene, { gone: { servings: ['s1'] } }), undefined);
      await workers.drain(worker, await scene.untilOf(worker));
      assert.equal(await adopt(scene), undefined);
      assert.deepEqual(await scene.history(taskId), ['submitted']);
      assert.deepEqual(toIds(await adopt(scene, { gone: { servings: ['s1'] } })), [taskId]);
    },
  },
  {
    title: 'of two that adopt the same tasks, one gets each',
    run: async (scene) => {
      const ids = [(await scene.submit()).taskId, (await scene.submit()).taskId];
      const both = await Promise.all([adopt(scene), adopt(scene, { to: 'third' })]);
      assert.deepEqual(both.flatMap((one) => toIds(one) ?? []).sort(), ids.sort());
      for (const taskId of ids) assert.deepEqual(await scene.history(taskId), ['submitted', 'adopted']);
    },
  },
  {
    title: 'an adopted task keeps its key and alias; one whose key or alias is in use there is left alone',
    run: async (scene) => {
      const keyed = await scene.submit({ idempotencyKey: 'k1', alias: 'a1' });
      const twice = [await scene.submit({ idempotencyKey: 'k2' }), await scene.submit({ alias: 'a2' })];
      await scene.submit({ identity: OTHER, idempotencyKey: 'k2' });
      await scene.submit({ identity: OTHER, alias: 'a2', tool: 'print' });
      assert.deepEqual(toIds(await adopt(scene)), [keyed.taskId]);
      const again = scene.toNewTask({ identity: OTHER, idempotencyKey: 'k1', alias: 'a1' });
      const joined = await scene.store.tasks.create(again, { queueLimit: 100 });
      assert.deepEqual([joined.kind, joined.kind === 'joined' && joined.task.taskId], ['joined', keyed.taskId]);
      await scene.submit({ idempotencyKey: 'k1', alias: 'a1' });
      for (const { taskId } of twice) assert.equal((await scene.read(taskId)).identity, IDENTITY);
    },
  },
  {
    title: 'what an adopted task takes of the store counts for its principal as before',
    run: async (scene) => {
      const share = { queued: 1, storedBytes: Number.MAX_SAFE_INTEGER };
      const create = (identity: string) =>
        scene.store.tasks.create(scene.toNewTask({ identity }), { queueLimit: 100, share });
      assert.equal((await create(IDENTITY)).kind, 'created');
      assert.equal((await create(OTHER)).kind, 'created');
      await adopt(scene);
      assert.equal((await create(IDENTITY)).kind, 'created');
      assert.deepEqual(await create(OTHER), { kind: 'over-share', limit: 'queued', used: 2 });
    },
  },
  {
    title: 'a held call is joined by calls of its own identity only, and of the new one once it is adopted',
    run: async (scene) => {
      const { tasks, holds } = scene.store;
      const hold: NewHold = { key: 'same', by: 'first', graceMs: 1000 };
      const hand = (identity: string, by: string) =>
        tasks.create(scene.toNewTask({ identity }), { queueLimit: 100, hold: { ...hold, by } });
      const first = await hand(IDENTITY, 'first');
      const taskId = first.kind === 'created' ? first.task.taskId : assert.fail();
      await holds.release(taskId, 'first', { how: 'hand-over' });
      const elsewhere = await hand(OTHER, 'second');
      assert.equal(elsewhere.kind, 'created');
      assert.deepEqual(toIds(await adopt(scene)), [taskId]);
      const joined = await hand(OTHER, 'third');
      assert.deepEqual([joined.kind, joined.kind === 'joined' && joined.task.taskId], ['joined', taskId]);
    },
  },
];
