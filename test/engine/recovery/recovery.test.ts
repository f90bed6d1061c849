import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGate, openRig } from '../open-rig.ts';
import { openSite } from '../workers/start-program.ts';

const DEFAULTS = { leaseMs: 6000, superviseMs: 1000 };
const accept = { action: 'accept', content: { yes: true } } as const;
const TICK_MS = 100;

/** Counts time as this process gets it: a busy machine that keeps everybody waiting stretches a tick as it stretches the rest. */
function countTicks(): () => number {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, TICK_MS);
  onTestFinished(() => clearInterval(timer));
  return () => ticks;
}

describe('recovery', () => {
  it('[ENGINE-11] [ENGINE-13] with the default times, the tasks of a killed program go on within 10 s', async () => {
    const site = await openSite();
    const first = site.start({ ...DEFAULTS, identity: 'same' });
    const again = await first.submit('hold', { until: 'go' });
    const once = await first.submit('holdOnce', { until: 'go' });
    await site.untilRuns(2);
    const other = site.start({ ...DEFAULTS, identity: 'same' });
    await site.access.outcome(await other.submit('where'));
    const waited = countTicks();
    await first.kill();
    await site.touch('go');
    expect(await site.access.outcome(once)).toMatchObject({ kind: 'interrupted' });
    expect(await site.access.outcome(again)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
    expect(waited()).toBeLessThan(10_000 / TICK_MS);
  });

  it('[ENGINE-13] work that may not be repeated ends as interrupted, is not run again, and says why', async () => {
    const site = await openSite();
    const first = site.start({ identity: 'same' });
    const taskId = await first.submit('holdOnce', { until: 'go' });
    await site.untilRuns(1);
    await first.kill();
    const second = site.start({ identity: 'same' });
    expect(await site.access.outcome(taskId)).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringMatching(/worker process ended; this work may not be repeated/),
    });
    await site.access.outcome(await second.submit('where'));
    expect(await site.runs()).toHaveLength(1);
  });

  it('[ENGINE-39] [ENGINE-37] a lost worker leaves an open question open, and its answer resumes the task elsewhere', async () => {
    const site = await openSite();
    const first = site.start({ identity: 'same' });
    const taskId = await first.submit('talk');
    await untilStatus(site, taskId, 'input_required');
    await first.kill();
    const second = site.start({ identity: 'same' });
    await site.access.outcome(await second.submit('where'));
    expect((await site.get(taskId)).status).toBe('input_required');
    await site.access.answer(taskId, { q1: accept });
    const value = { made: 'made', answer: { yes: true }, pid: second.child.pid };
    expect(await site.access.outcome(taskId)).toEqual({ kind: 'result', value });
    expect((await site.runs()).map(({ what }) => what)).toEqual(['ran', 'step', 'ran']);
    expect((await site.get(taskId)).attempt).toBe(1);
  });

  it('[ENGINE-40] work that waits for an answer and may not be repeated is interrupted when its worker dies', async () => {
    const site = await openSite();
    const first = site.start({ identity: 'same' });
    const taskId = await first.submit('talkOnce');
    await untilStatus(site, taskId, 'input_required');
    await first.kill();
    site.start({ identity: 'same' });
    expect(await site.access.outcome(taskId)).toMatchObject({ kind: 'interrupted' });
    await expect(site.access.answer(taskId, { q1: accept })).rejects.toMatchObject({ code: 'QUESTION_NOT_OPEN' });
  });

  it('[ENGINE-11] a process with a shorter lease does not take a worker that beats less often for dead', async () => {
    const rig = await openRig();
    const gate = createGate();
    const engine = await rig.engine({ once: { run: () => gate.opened } }, { leaseMs: 30_000 });
    const hasty = await rig.engine(
      { quick: { run: () => 1 } },
      { store: await rig.reopen(), identity: 'hasty', leaseMs: 100, superviseMs: 5 },
    );
    const { taskId } = (await engine.submit('once')).task;
    await untilStatus(engine, taskId, 'working');
    // It has looked for dead workers for more than a lease of its own when its own worker has beaten for two.
    const beaten = async () => (await rig.store.workers.list('hasty'))[0]?.until ?? 0;
    const first = await beaten();
    await until(async () => (await beaten()) > first + 300);
    expect((await engine.get(taskId)).status).toBe('working');
    gate.open();
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: null });
    await hasty.close();
  });

  it('[ENGINE-47] without a hook, what fails in the background is one line on stderr', async () => {
    const site = await openSite();
    const program = site.start({ abortGraceMs: 10 });
    const taskId = await program.submit('deaf');
    // A task is at work before its tool is.
    await site.untilRuns(1);
    await site.access.cancel(taskId);
    await program.untilStderr('it ignores its signal\n');
    await program.end();
    expect(await program.stderr).toBe(
      `holdfast: tool deaf goes on after task ${taskId} was stopped: it ignores its signal\n`,
    );
  });

  it('[ENGINE-12] a worker that dies over the same task again and again is given up after the last attempt', async () => {
    const rig = await openRig();
    const engine = await rig.idleEngine({ deadly: { idempotent: true, run: () => 1 } });
    const { taskId } = (await engine.submit('deadly')).task;
    const { workers, tasks } = rig.store;
    for (let attempt = 1; attempt <= 3; attempt++) {
      const worker = `w${attempt}`;
      const process = { host: 'gone', pid: 1, startTime: 'gone' };
      const build = { id: 'b', at: 1 };
      await workers.register({ workerId: worker, identity: 'test', kind: 'inline', build, leaseMs: 1, process });
      expect(await tasks.claim({ worker, identity: 'test', free: { deadly: 1 }, max: 1 })).toHaveLength(1);
      const [{ until } = { until: 0 }] = await workers.list();
      await tasks.recover({ workerId: worker, until, reason: 'its worker process ended', delaysMs: [0] });
    }
    expect((await engine.get(taskId)).outcome).toEqual({
      kind: 'interrupted',
      reason: 'its worker process ended; no attempt left of 3',
    });
  });
});
