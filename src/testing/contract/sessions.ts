import assert from 'node:assert/strict';
import type { SessionRef } from '../../store/contracts/session-contract.ts';
import type { ContractCase, Scene } from './scene.ts';

const DAY_MS = 86_400_000;

export const sessionsCases: readonly ContractCase[] = [
  {
    title: 'a session that nobody noted anything about is alive',
    run: async (scene) => {
      assert.deepEqual(await scene.store.sessions.find(toSession(scene, 'one')), { isEnded: false });
    },
  },
  {
    title: 'a session that is in use is remembered with its last use',
    run: async (scene) => {
      const session = toSession(scene, 'one');
      const { sessions } = scene.store;
      await sessions.touch(session, toNote(scene));
      await scene.clock.advance(1000);
      await sessions.touch(session, toNote(scene));
      assert.deepEqual(await sessions.find(session), { isEnded: false, usedAt: scene.clock.now() });
    },
  },
  {
    title: 'a session that has ended stays so, and takes no other with it',
    run: async (scene) => {
      const { sessions } = scene.store;
      const [one, other] = [toSession(scene, 'one'), toSession(scene, 'other')];
      await sessions.touch(one, toNote(scene));
      await sessions.end(one, toNote(scene));
      await sessions.end(one, toNote(scene));
      await sessions.touch(one, toNote(scene));
      assert.deepEqual(await sessions.find(one), { isEnded: true });
      assert.deepEqual(await sessions.find(other), { isEnded: false });
    },
  },
  {
    title: 'what was noted of a session is forgotten when it has expired',
    run: async (scene) => {
      const { sessions } = scene.store;
      const [one, other] = [toSession(scene, 'one'), toSession(scene, 'other')];
      await sessions.end(one, toNote(scene));
      await scene.clock.advance(DAY_MS + 1);
      await sessions.touch(other, toNote(scene));
      assert.deepEqual(await sessions.find(one), { isEnded: false });
    },
  },
  {
    title: 'beyond the limit the older half of the sessions of a principal is over, whether noted or not',
    run: async (scene) => {
      const { sessions } = scene.store;
      const silent = toSession(scene, 'silent');
      const ended: SessionRef[] = [];
      for (let count = 0; count < 5; count++) {
        await scene.clock.advance(1000);
        const session = toSession(scene, `ended ${count}`);
        await sessions.end(session, { ...toNote(scene), max: 4 });
        ended.push(session);
      }
      await scene.clock.advance(1000);
      for (const session of ended) assert.deepEqual(await sessions.find(session), { isEnded: true });
      assert.deepEqual(await sessions.find(silent), { isEnded: true });
      assert.deepEqual(await sessions.find(toSession(scene, 'new')), { isEnded: false });
      assert.deepEqual(await sessions.find({ ...silent, principal: 'bob' }), { isEnded: false });
    },
  },
];

function toSession(scene: Scene, sessionId: string): SessionRef {
  return { sessionId, principal: 'ada', openedAt: scene.clock.now() };
}

function toNote(scene: Scene) {
  return { expiresAt: scene.clock.now() + DAY_MS, max: 100 };
}
