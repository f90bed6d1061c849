import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openSite, type Site } from '../../engine/workers/start-program.ts';
import { programPath } from '../../programs/program-path.js';

const LOCKED_MS = 60_000;
const DEFAULTS = { leaseMs: 6000, superviseMs: 1000, idleMs: 5000 };
const PATIENT = { timeoutMs: 180_000 };

/** A stranger that holds the write lock, and since when. */
async function lockStore(site: Site): Promise<{ child: ChildProcessWithoutNullStreams; at: number }> {
  const program = programPath('lock-store.js');
  const child = spawn(process.execPath, [program, join(site.folder, 'tasks.db')]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { child, at: performance.now() };
}

for (const workers of ['inline', 'detached'] as const) {
  it(`[BAD-115] a store that is locked for a minute interrupts no ${workers} worker, and loses none of their results`, async () => {
    const site = await openSite();
    const options = { ...DEFAULTS, workers, identity: 'same' };
    const server = site.start(options);
    const holds = await server.submit('holdOnce', { until: 'later' });
    const ends = await server.submit('holdOnce', { until: 'go' });
    const begun = await site.untilRuns(2);
    // Others on the store, who would recover what they take for dead.
    for (let count = 0; count < 3; count++) site.start(options);
    const stranger = await lockStore(site);
    await site.touch('go');
    await until(() => performance.now() - stranger.at > LOCKED_MS, PATIENT);
    stranger.child.stdin.end();
    for (const [taskId, name] of [
      [ends, 'go'],
      [holds, 'later'],
    ] as const) {
      await site.touch(name);
      const outcome = await until(async () => (await site.get(taskId)).outcome, PATIENT);
      expect(outcome).toEqual({ kind: 'result', value: { pid: begun[0]?.pid, attempt: 1 } });
      const events = await site.store.tasks.events(taskId, 0, 100);
      expect(events.map(({ type }) => type)).toEqual(['submitted', 'claimed', 'ended']);
    }
  });
}
