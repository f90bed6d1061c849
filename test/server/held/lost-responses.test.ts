import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { connect, createDice, ERAS, insist, openLossy } from '../open-lossy.ts';
import { openPlain, textOf } from '../plain-client.ts';

const JOINED = 'holdfast/joined';

describe.each(ERAS)('a plain call whose response is lost (%s)', (era) => {
  it.each(['early', 'late'] as const)(
    '[BAD-400] gets the stored result when it is made again (cut %s)',
    async (cut) => {
      const { rig, proxy, cuts, runs } = await openLossy();
      const call = await connect(proxy.url, era);
      cuts.push(cut, cut);
      await expect(call('a')).rejects.toThrow();
      await expect(call('a')).rejects.toThrow();
      const heard = await call('a');
      expect(textOf(heard)).toBe('a 1');
      const joined = { taskId: await rig.onlyTask(), ageMs: expect.any(Number) };
      expect(heard.result?._meta).toMatchObject({ [JOINED]: joined });
      expect(runs).toEqual(['a']);
    },
  );

  it('[BAD-401] runs once, whatever is lost: calls in a row', async () => {
    const { proxy, cuts, runs } = await openLossy();
    const call = await connect(proxy.url, era);
    const roll = createDice(7);
    const names = Array.from({ length: 24 }, (_, index) => `call ${index}`);
    for (const of of names) {
      while (roll(3) > 0) cuts.push(roll(2) === 0 ? 'early' : 'late');
      await insist(call, of);
    }
    expect(runs).toEqual(names);
    expect(proxy.cuts()).toBeGreaterThan(24);
  });

  it('[BAD-401] runs once, whatever is lost: calls at once, other calls in between', async () => {
    const { proxy, cuts, runs } = await openLossy();
    const call = await connect(proxy.url, era);
    const roll = createDice(11);
    cuts.push(...Array.from({ length: 24 }, () => (['pass', 'early', 'late'] as const)[roll(3)] ?? 'pass'));
    const lane = async (name: string) => {
      for (let index = 0; index < 4; index++) await insist(call, `${name} ${index}`);
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(lane));
    expect(runs).toHaveLength(16);
    expect(new Set(runs).size).toBe(16);
  });

  it('[BAD-402] runs twice when it is called twice: nothing was lost', async () => {
    const { url, runs } = await openLossy();
    const call = await connect(url, era);
    for (const count of [1, 2, 3]) {
      const heard = await call('a');
      expect([textOf(heard), heard.result?._meta?.[JOINED as never]]).toEqual([`a ${count}`, undefined]);
    }
    await Promise.all(Array.from({ length: 8 }, () => call('a')));
    expect(runs).toHaveLength(11);
  });

  it('[BAD-403] begins anew after joinMs, counted from the first answer', async () => {
    const { rig, proxy, cuts, runs } = await openLossy({ joinMs: 300 });
    const call = await connect(proxy.url, era);
    cuts.push('late');
    await expect(call('a')).rejects.toThrow();
    const { cancelAt = 0 } = await until(async () => (await rig.holds()).find((hold) => hold.by === undefined));
    await until(() => Date.now() > cancelAt);
    expect(textOf(await call('a'))).toBe('a 2');
    expect(runs).toEqual(['a', 'a']);
  });

  it('[BAD-404] begins anew when it brings a key of its own', async () => {
    const { proxy, cuts, runs } = await openLossy();
    const call = await connect(proxy.url, era);
    cuts.push('late');
    await expect(call('a')).rejects.toThrow();
    expect(textOf(await call('a', { 'holdfast/idempotencyKey': 'another' }))).toBe('a 2');
    expect(textOf(await call('a'))).toBe('a 1');
    expect(runs).toEqual(['a', 'a']);
  });

  it.each([
    ['joinMs is 0', { joinMs: 0 }],
    ['it does not join', { join: false }],
    ['it only reads', { annotations: { readOnlyHint: true } }],
  ])('[BAD-405] begins anew when its tool says that %s', async (_, tool) => {
    const { proxy, cuts, runs } = await openLossy({}, tool);
    const call = await connect(proxy.url, era);
    cuts.push('late');
    await expect(call('a')).rejects.toThrow();
    expect(textOf(await call('a'))).toBe('a 2');
    expect(runs).toEqual(['a', 'a']);
  });
});

describe('a result that may not have arrived', () => {
  it('[BAD-406] is given to its own session only', async () => {
    const { proxy, cuts, runs } = await openLossy();
    const call = await connect(proxy.url, 'legacy');
    cuts.push('late');
    await expect(call('a')).rejects.toThrow();
    expect(textOf(await (await connect(proxy.url, 'legacy'))('a'))).toBe('a 2');
    expect(textOf(await (await connect(proxy.url, 'modern'))('a'))).toBe('a 3');
    expect(textOf(await call('a'))).toBe('a 1');
    expect(runs).toHaveLength(3);
  });

  it('[BAD-407] is one whose request was cancelled after its answer had been written', async () => {
    const { rig, url, runs } = await openLossy();
    const client = await openPlain(url);
    expect(textOf(await client.call('count', { of: 'a' }))).toBe('a 1');
    await client.cancel('Request timed out');
    await until(async () => (await rig.holds())[0]?.cancelAt);
    expect(textOf(await client.call('count', { of: 'a' }))).toBe('a 1');
    expect(runs).toEqual(['a']);
  });

  it('[BAD-408] is kept when its server is closed, and given by the next', async () => {
    const { rig, url, runs } = await openLossy();
    const call = await connect(url, 'modern');
    expect(textOf(await call('a'))).toBe('a 1');
    await rig.stop(url);
    const [hold] = await rig.holds();
    expect(hold?.by).toBeUndefined();
    expect(runs).toEqual(['a']);
  });
});
