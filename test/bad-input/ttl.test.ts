import { createEngine } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds } from '../engine/open-rig.ts';

const YEAR_MS = 31_536_000_000;

const ILLEGAL: readonly [shown: string, value: unknown][] = [
  ['-1', -1],
  ['1.5', 1.5],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  [`${YEAR_MS + 1}`, YEAR_MS + 1],
  ['1e+300', 1e300],
  ['"1000"', '1000'],
  ['10', 10n],
  ['true', true],
];

const refusal = (shown: string) => ({
  code: 'INVALID_TTL',
  message: `ttlMs is ${shown}; expected a whole number of milliseconds from 0 to ${YEAR_MS} (one year), or null to keep the task`,
});

describe.each(storeKinds)('the ttl of a submit on the %s store', (kind) => {
  it.each(ILLEGAL)('[INPUT-07] %s is INVALID_TTL, says what is expected, and writes nothing', async (shown, value) => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo: { run: () => 1 } });
    await expect(engine.submit('echo', {}, { ttlMs: value as number })).rejects.toMatchObject(refusal(shown));
    expect((await engine.list()).tasks).toEqual([]);
  });

  it('[INPUT-07] nothing, a year and null are expected', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo: { run: () => 1 } });
    for (const ttlMs of [0, YEAR_MS, null]) {
      const { task } = await engine.submit('echo', {}, { ttlMs });
      expect(await engine.get(task.taskId)).toMatchObject({ ttlMs });
    }
  });
});

describe('the ttl of a tool', () => {
  it.each(ILLEGAL)('[INPUT-07] %s is refused before the engine exists', async (shown, value) => {
    const rig = await openLightRig('memory');
    const tools = { echo: { ttlMs: value as number, run: () => 1 } };
    await expect(createEngine({ name: 'test', store: rig.store, tools })).rejects.toMatchObject(refusal(shown));
  });
});
