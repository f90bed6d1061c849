import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { HeartbeatProgress } from '../../../src/dialects/inline/heartbeat-progress.ts';
import type { Json } from '../../../src/task/json.ts';

type Params = { readonly [key: string]: Json };

function open(notify: (params: Params) => Promise<void> = async () => {}) {
  const clock = createFakeClock();
  const sent: Params[] = [];
  const progress = new HeartbeatProgress({
    progressToken: 'token',
    clock,
    everyMs: 10_000,
    async notify(method, params) {
      expect(method).toBe('notifications/progress');
      sent.push(params);
      await notify(params);
    },
  });
  const values = () => sent.map((params) => params.progress as number);
  return { clock, sent, progress, values };
}

const isRising = (values: readonly number[]) => values.every((value, at) => at === 0 || value > Number(values[at - 1]));

describe('progress on the line of a held call', () => {
  it('[HOLD-03] shows a sign of life in every interval in which the tool is silent', async () => {
    const { clock, sent, values } = open();
    await clock.advance(9999);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toMatchObject([{ progressToken: 'token', total: 1, message: 'still running after 10 s' }]);
    await clock.advance(50_000);
    expect(sent).toHaveLength(6);
    expect(isRising(values())).toBe(true);
  });

  it("[HOLD-03] passes on the tool's own numbers, and goes on rising after each of them", async () => {
    const { clock, sent, progress, values } = open();
    for (const value of [0, 0.5, 1, 250, 2 ** 40, 1e300]) {
      await progress.report(value, `at ${value}`);
      expect(sent.at(-1)).toMatchObject({ progress: value, message: `at ${value}` });
      await clock.advance(30_000);
    }
    expect(sent).toHaveLength(24);
    expect(isRising(values())).toBe(true);
    expect(sent[1]?.message).toBe('at 0 (still running after 10 s)');
  });

  it('does not drown what the tool tells next', async () => {
    const { clock, progress, values } = open();
    await progress.report(0.5, undefined);
    await clock.advance(3_600_000);
    await progress.report(0.501, undefined);
    expect(values().at(-1)).toBe(0.501);
  });

  it('keeps numbers that do not rise to itself, and says their words with the next sign of life', async () => {
    const { clock, sent, progress } = open();
    await progress.report(0.5, 'half');
    await progress.report(0.4, 'a step back');
    expect(sent).toHaveLength(1);
    await clock.advance(10_000);
    expect(sent.at(-1)?.message).toBe('a step back (still running after 10 s)');
  });

  it('counts the interval from what was told last', async () => {
    const { clock, sent, progress } = open();
    await clock.advance(9000);
    await progress.report(0.1, undefined);
    await clock.advance(9000);
    expect(sent).toHaveLength(1);
  });

  it('[HOLD-04] is silent when it was stopped, and what was on its way has left', async () => {
    let letGo = () => {};
    const left = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { clock, sent, progress } = open(() => left);
    void progress.report(0.5, undefined);
    const events: string[] = [];
    const stopping = progress.stop().then(() => events.push('stopped'));
    await clock.advance(60_000);
    events.push('left');
    letGo();
    await stopping;
    await progress.report(0.7, undefined);
    expect(events).toEqual(['left', 'stopped']);
    expect(sent).toHaveLength(1);
  });

  it('survives a line that is gone', async () => {
    const { clock, sent, progress } = open(() => Promise.reject(new Error('closed')));
    await progress.report(0.5, undefined);
    await clock.advance(10_000);
    expect(sent).toHaveLength(2);
    await progress.stop();
  });
});
