import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { type Message, openHttp } from '../open-http.ts';
import { type CallOptions, callModern, openPlain, taskOf, textOf } from '../plain-client.ts';

const isRising = (values: readonly number[]) => values.every((value, at) => at === 0 || value > Number(values[at - 1]));
const toValues = (messages: readonly Message[]) => messages.map(({ params }) => params?.progress as number);

describe('a held call', () => {
  const CALLERS = {
    legacy: async (url: string) => {
      const client = await openPlain(url);
      return (options: CallOptions) => client.call('wait', {}, options);
    },
    modern: async (url: string) => (options: CallOptions) => callModern(url, 'wait', options),
  };

  describe.each(['legacy', 'modern'] as const)('of the %s era', (era) => {
    it('[HOLD-03] shows progress again and again to a client that gave a token, always higher', async () => {
      const rig = await openHttp();
      const call = await CALLERS[era](await rig.serve({ progressEveryMs: 20 }));
      const seen: Message[] = [];
      const calling = call({
        meta: { progressToken: 'mine' },
        onMessage: (message) => void seen.push(message),
      });
      await until(() => seen.length >= 5, { what: 'five signs of life' });
      rig.open();
      const heard = await calling;
      expect(textOf(heard)).toBe('waited');
      expect(heard.others.every(({ method }) => method === 'notifications/progress')).toBe(true);
      expect(heard.others.every(({ params }) => params?.progressToken === 'mine')).toBe(true);
      expect(toValues(heard.others)).toContain(0.5);
      expect(isRising(toValues(heard.others))).toBe(true);
      expect(heard.isAnswerLast).toBe(true);
    });

    it('[HOLD-04] shows none to a client that gave no token', async () => {
      const rig = await openHttp();
      const profiles = { plain: { giveUpMs: 300 }, raw: { giveUpMs: 300 } };
      const call = await CALLERS[era](await rig.serve({ progressEveryMs: 5, profiles }));
      const heard = await call({});
      rig.open();
      expect(taskOf(heard)).toBeDefined();
      expect(heard.others).toEqual([]);
    });
  });

  it('[HOLD-04] shows none after its answer, however often it shows any', async () => {
    const rig = await openHttp();
    const url = await rig.serve({ progressEveryMs: 1, marginMs: 10, profiles: { plain: { giveUpMs: 40 } } });
    const client = await openPlain(url);
    for (let round = 0; round < 10; round++) {
      const heard = await client.call('wait', {}, { meta: { progressToken: round } });
      expect(heard.isAnswerLast).toBe(true);
    }
    rig.open();
  });

  it('goes on with its heartbeat in a wait for it', async () => {
    const rig = await openHttp();
    const client = await openPlain(await rig.serve({ progressEveryMs: 20, profiles: { plain: { giveUpMs: 200 } } }));
    await client.call('wait');
    const task_id = await rig.onlyTask();
    await until(async () => (await rig.tasks.get(task_id)).progress, { what: 'progress' });
    const { others } = await client.call('task_wait', { task_id }, { meta: { progressToken: 1 } });
    expect(others.length).toBeGreaterThan(1);
    expect(toValues(others)[0]).toBe(0.5);
    expect(isRising(toValues(others))).toBe(true);
    rig.open();
  });
});
