import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withNearEnd } from '../../../dist/dialects/shared/following/near-end.js';
import { createGate, openLightRig } from '../../engine/open-rig.ts';

/** A task with an estimate of 100 ms that ends when it is told to, and a reader to whom it has been running for so long. */
async function openRunning() {
  const rig = await openLightRig('memory');
  const clock = createFakeClock();
  const gate = createGate();
  onTestFinished(gate.open);
  const run = () => gate.opened.then(() => 'done');
  const engine = await rig.engine({ print: { estimateMs: 100, run }, guess: { run } });
  const submit = async (tool: string) => (await engine.submit(tool, {})).task;
  const readAfter = (task: { createdAt: number; taskId: string }, ms: number) => {
    const later = { ...engine, now: () => task.createdAt + ms };
    return withNearEnd(later, clock).get(task.taskId);
  };
  return { submit, readAfter, gate, clock };
}

describe('a poll', () => {
  it('[ROOMS-360] of a task that is about to end is answered when it has ended', async () => {
    const { submit, readAfter, gate } = await openRunning();
    const reading = readAfter(await submit('print'), 98);
    gate.open();
    expect((await reading).status).toBe('completed');
  });

  it('[ROOMS-360] is answered a moment later all the same when the task goes on', async () => {
    const { submit, readAfter, clock } = await openRunning();
    const task = await submit('print');
    let status: string | undefined;
    const reading = readAfter(task, 98).then((read) => {
      status = read.status;
    });
    while (status === undefined) await clock.advance(10);
    await reading;
    expect(status).toBe('working');
  });

  it.each([
    ['print', 20],
    ['print', 1000],
    ['guess', 1],
  ])(
    '[ROOMS-361] of a task that is not known to be near its end is answered at once (%s after %i ms)',
    async (tool, ms) => {
      const { submit, readAfter } = await openRunning();
      const task = await submit(tool);
      expect(['queued', 'working']).toContain((await readAfter(task, ms)).status);
    },
  );
});
