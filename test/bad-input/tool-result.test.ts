import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds } from '../engine/open-rig.ts';

const throwing = (thrown: unknown) => ({
  toJSON() {
    throw thrown;
  },
});

const UNSERIALISABLE: readonly [what: string, value: unknown, why: string][] = [
  ['a BigInt deep inside', { list: [{ count: 10n }] }, 'BigInt'],
  ['a toJSON that throws something odd', throwing(Object.create(null)), 'the tool threw {}'],
  ['a toJSON that gives nothing', { toJSON: () => undefined }, 'has no JSON form'],
];

const HUNDRED_MB = 100 * 1024 * 1024;

describe.each(storeKinds)('what a tool returns on the %s store', (kind) => {
  it.each(UNSERIALISABLE)('[INPUT-03] %s is RESULT_NOT_SERIALIZABLE and says why', async (_what, value, why) => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ odd: { run: async () => value } });
    const { taskId } = (await engine.submit('odd')).task;
    expect(await engine.outcome(taskId)).toMatchObject({
      kind: 'error',
      error: { code: 'RESULT_NOT_SERIALIZABLE', message: expect.stringContaining(why) },
    });
  });

  it('[INPUT-03] what JSON leaves out or changes is left out or changed, as JSON does it', async () => {
    const rig = await openLightRig(kind);
    const value = {
      map: new Map([[1, 2]]),
      none: undefined,
      nan: Number.NaN,
      at: new Date(0),
      list: [undefined, () => 1],
    };
    const engine = await rig.engine({ odd: { run: () => value } });
    const { taskId } = (await engine.submit('odd')).task;
    const outcome = await engine.outcome(taskId);
    expect(outcome).toStrictEqual({
      kind: 'result',
      value: { map: {}, nan: null, at: '1970-01-01T00:00:00.000Z', list: [null, null] },
    });
  });

  it('[INPUT-04] 100 MB are RESULT_TOO_LARGE, which says both sizes, and others complete meanwhile', async () => {
    const rig = await openLightRig(kind);
    const gate = createGate();
    const tools = {
      huge: { run: () => 'x'.repeat(HUNDRED_MB) },
      other: { run: () => gate.opened.then(() => 'other') },
    };
    const engine = await rig.engine(tools);
    const others = await Promise.all(Array.from({ length: 5 }, () => engine.submit('other')));
    for (const { task } of others) await untilStatus(engine, task.taskId, 'working');
    const { taskId } = (await engine.submit('huge')).task;
    const bytes = HUNDRED_MB + 2;
    const maxBytes = 10 * 1024 * 1024;
    expect(await engine.outcome(taskId)).toEqual({
      kind: 'error',
      error: {
        code: 'RESULT_TOO_LARGE',
        message: expect.stringMatching(new RegExp(`${bytes} bytes.*at most ${maxBytes}.*maxResultBytes`)),
        data: { bytes, maxBytes },
      },
    });
    gate.open();
    for (const { task } of others) {
      expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: 'other' });
    }
  });

  it('[INPUT-04] the limit is the tool’s own, counts bytes of JSON, and a result of just that size is kept', async () => {
    const rig = await openLightRig(kind);
    const echo = { maxResultBytes: 8, run: (text: string) => text };
    const engine = await rig.engine({ echo });
    const fits = (await engine.submit('echo', 'äöü')).task.taskId;
    const tooLong = (await engine.submit('echo', 'äöüx')).task.taskId;
    expect(await engine.outcome(fits)).toEqual({ kind: 'result', value: 'äöü' });
    expect(await engine.outcome(tooLong)).toMatchObject({ error: { data: { bytes: 9, maxBytes: 8 } } });
  });
});
