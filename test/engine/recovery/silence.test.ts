import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { touchPulse } from '../../../dist/engine/heartbeat/pulse.js';
import { openDriver } from '../../../dist/sqlite/driver.js';
import { storeKinds } from '../open-rig.ts';
import { BEAT_MS, LEASE_MS, LOOK_MS, openWatch, startAlive, startDead } from '../open-watch.ts';

const LOOKS_PER_LEASE = LEASE_MS / LOOK_MS;
const LOOKS_PER_BEAT = BEAT_MS / LOOK_MS;

for (const kind of storeKinds) {
  describe(`a worker that does not beat, on the ${kind} store`, () => {
    it('[BAD-101] is given up by processes none of which lives for as long as its lease', async () => {
      const watch = await openWatch(kind);
      const taskId = await watch.worker('silent');
      await watch.clock.advance(LEASE_MS);
      let lives = 0;
      // Each looks twice, a second apart, and is gone.
      for (; lives < 20 && (await watch.isThere('silent')); lives++) await watch.observer().look(1);
      expect(await watch.isThere('silent')).toBe(false);
      expect(lives).toBe(LOOKS_PER_LEASE + LOOKS_PER_BEAT);
      const task = await watch.store.tasks.get({ taskId });
      const reason = 'its worker stopped responding; this work may not be repeated';
      expect(task?.outcome).toEqual({ kind: 'interrupted', reason });
    });

    it('[BAD-102] is marked first, which its tasks are told, and given up only after another beat', async () => {
      const watch = await openWatch(kind);
      const taskId = await watch.worker('silent');
      await watch.clock.advance(LEASE_MS);
      const observer = watch.observer();
      await observer.look(LOOKS_PER_LEASE - 1);
      expect(await watch.events(taskId)).toEqual(['submitted', 'claimed']);
      await watch.clock.advance(LOOK_MS);
      await observer.look(LOOKS_PER_BEAT - 1);
      expect(await watch.events(taskId)).toEqual(['submitted', 'claimed', 'stalled']);
      await watch.clock.advance(LOOK_MS);
      await observer.look();
      expect(await watch.events(taskId)).toEqual(['submitted', 'claimed', 'stalled', 'ended']);
    });

    it('[BAD-102] goes on when it beats after all, and is watched anew', async () => {
      const watch = await openWatch(kind);
      const taskId = await watch.worker('late');
      await watch.clock.advance(LEASE_MS);
      const observer = watch.observer();
      await observer.look(LOOKS_PER_LEASE + 1);
      expect(await watch.events(taskId)).toContain('stalled');
      await watch.beat('late');
      expect((await watch.store.workers.list())[0]?.silence).toBe(undefined);
      await observer.look(LOOKS_PER_LEASE + LOOKS_PER_BEAT - 1);
      expect(await watch.isThere('late')).toBe(true);
    });

    it('[BAD-103] is not given up sooner because many watch it', async () => {
      const watch = await openWatch(kind);
      await watch.worker('silent');
      await watch.clock.advance(LEASE_MS);
      const observers = Array.from({ length: 5 }, () => watch.observer());
      for (let count = 0; count < LOOKS_PER_LEASE + LOOKS_PER_BEAT; count++) {
        await Promise.all(observers.map((observer) => observer.look()));
        await watch.clock.advance(LOOK_MS);
      }
      expect(await watch.isThere('silent')).toBe(true);
      await Promise.all(observers.map((observer) => observer.look()));
      expect(await watch.isThere('silent')).toBe(false);
    });

    it('[BAD-103] is not held against it for how long its observer stood still itself', async () => {
      const watch = await openWatch(kind);
      await watch.worker('silent');
      const observer = watch.observer();
      await observer.look();
      await watch.clock.advance(3_600_000);
      await observer.look();
      await watch.clock.advance(3_600_000);
      await observer.look();
      expect((await watch.store.workers.list())[0]?.silence?.silentMs).toBe(BEAT_MS);
    });

    it('[BAD-104] is not written about while it beats', async () => {
      const watch = await openWatch(kind);
      await watch.worker('busy');
      const observer = watch.observer();
      for (let beats = 0; beats < 10; beats++) {
        await observer.look(LOOKS_PER_BEAT);
        expect((await watch.store.workers.list())[0]?.silence).toBe(undefined);
        await watch.beat('busy');
      }
    });

    it('[BAD-105] is replaced by short lives too when it never came to register, though its starter lives', async () => {
      const watch = await openWatch(kind);
      const place = { workerId: 'stuck', identity: 'one', kind: 'detached', leaseMs: LEASE_MS } as const;
      await watch.store.workers.reserve({ ...place, build: { id: 'b', at: 1 }, starter: startAlive() });
      await watch.clock.advance(LEASE_MS);
      let lives = 0;
      for (; lives < 10 && (await watch.isThere('stuck')); lives++) await watch.observer().look(3);
      expect(lives).toBe(4);
    });

    it('[BAD-105] is replaced at the first look when its starter is gone', async () => {
      const watch = await openWatch(kind);
      const place = { workerId: 'stuck', identity: 'one', kind: 'detached', leaseMs: LEASE_MS } as const;
      await watch.store.workers.reserve({ ...place, build: { id: 'b', at: 1 }, starter: await startDead() });
      await watch.observer().look();
      expect(await watch.isThere('stuck')).toBe(false);
    });
  });
}

describe('a store that could not be written', () => {
  it('[BAD-106] proves nothing, however long it lasts and however many look', async () => {
    const watch = await openWatch();
    const taskId = await watch.worker('locked-out');
    await watch.clock.advance(LEASE_MS);
    const observer = watch.observer();
    await observer.look(2);
    const stranger = openDriver(watch.path, { readOnly: false });
    onTestFinished(() => stranger.close());
    stranger.exec('BEGIN IMMEDIATE');
    for (let looks = 0; looks < 10; looks++) {
      await observer.look();
      await watch.clock.advance(6 * LOOK_MS);
    }
    expect(watch.errors).toHaveLength(10);
    stranger.exec('ROLLBACK');
    // What was watched before the lock counts, and nothing of the minute since.
    await observer.look();
    expect((await watch.store.workers.list())[0]?.silence?.silentMs).toBe(2 * LOOK_MS);
    await watch.beat('locked-out');
    await observer.look(LOOKS_PER_BEAT);
    expect(await watch.events(taskId)).toEqual(['submitted', 'claimed']);
  });
});

describe('the pulse of a worker', () => {
  it('[BAD-107] keeps it from being marked and given up while the store takes none of its beats', async () => {
    const watch = await openWatch();
    const taskId = await watch.worker('breathing');
    const file = join(watch.folder, 'pulse', 'breathing');
    await watch.clock.advance(LEASE_MS);
    for (let lives = 0; lives < 10; lives++) {
      touchPulse(file, new Date(watch.clock.now()));
      await watch.observer().look(LOOKS_PER_BEAT);
    }
    expect(await watch.events(taskId)).toEqual(['submitted', 'claimed']);
    await watch.observer().look(LOOKS_PER_LEASE + LOOKS_PER_BEAT);
    expect(await watch.isThere('breathing')).toBe(false);
  });
});
