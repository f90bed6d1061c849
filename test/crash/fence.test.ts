import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pick, readRecords, startProgram, withDirectory } from './judge.ts';

const ENDINGS = {
  again: { kind: 'result', value: 'from the new worker' },
  once: { kind: 'interrupted', reason: 'its worker stopped responding; this work may not be repeated' },
} as const;

describe('a worker that was paused past its lease and resumed', () => {
  for (const tool of ['again', 'once'] as const) {
    it(`[CRASH-13] changes nothing when its task (${tool}) has been taken over`, async () => {
      await withDirectory(async (dir) => {
        const old = startProgram('paused-worker', [dir, tool]);
        // A paused process would stay for ever if the test went wrong.
        onTestFinished(() => void old.child.kill('SIGKILL'));
        const [taskId = '', pid] = await until(() => pick(readRecords(join(dir, 'journal.txt')), 'taken')[0], {
          timeoutMs: 60_000,
        });
        const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
        const engine = await createEngine({
          name: 'paused',
          identity: 'paused',
          store,
          leaseMs: 500,
          superviseMs: 50,
          tools: {
            again: { idempotent: true, run: () => 'from the new worker' },
            once: { run: () => 'must not run' },
          },
        });
        await engine.start();
        expect(await engine.outcome(taskId)).toEqual(ENDINGS[tool]);
        const before = await engine.get(taskId);

        process.kill(Number(pid), 'SIGCONT');
        const { stdout } = await old.ended;

        expect(JSON.parse(stdout)).toEqual(ENDINGS[tool]);
        expect(await engine.get(taskId)).toEqual(before);
        const refused = pick(readRecords(join(dir, 'journal.txt')), 'refused').flat();
        expect(refused.length).toBeGreaterThan(0);
        expect(new Set(refused)).toEqual(new Set(['LEASE_LOST']));
        await engine.close();
        await store.close();
      });
    });
  }
});
