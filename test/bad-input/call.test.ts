import { type Engine, OPERATOR, type SubmitOptions } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openLightRig, storeKinds } from '../engine/open-rig.ts';

const circular: { self?: unknown } = {};
circular.self = circular;

const NO_JSON: readonly [what: string, args: unknown, why: string][] = [
  ['a function', () => 1, 'a function has no JSON form'],
  ['a symbol', Symbol('s'), 'a symbol has no JSON form'],
  ['a circular object', circular, '<ref *1>'],
  ['a BigInt', 10n, '10n'],
  ['a BigInt inside', { year: 2025n }, '{ year: 2025n }'],
];

const OPTIONS: readonly [field: string, value: unknown, shown: string][] = [
  ['principal', '', '""'],
  ['principal', 7, '7'],
  ['principal', OPERATOR, 'Symbol(operator)'],
  ['alias', 10n, '10n'],
  ['alias', 'x'.repeat(513), `"${'x'.repeat(200)}…"`],
  ['idempotencyKey', circular, '<ref *1>'],
  ['deliver', 'mail', '"mail"'],
  ['deliver', [null], '[ null ]'],
  ['deliver', [{ topic: '' }], "[ { topic: '' } ]"],
  ['deliver', [{ topic: 'mail', data: 10n }], '10n'],
  ['trace', 'abc', '"abc"'],
  ['trace', null, 'null'],
];

const MALFORMED: readonly [what: string, taskId: unknown, shown: string][] = [
  ['an empty text', '', '""'],
  ['a text with SQL in it', "' OR 1=1 --", `"' OR 1=1 --"`],
  ['a text with a zero byte', 'a\0b', '"a\\u0000b"'],
  ['a text of a megabyte', 'x'.repeat(1_000_000), `"${'x'.repeat(200)}…"`],
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a number', 42, '42'],
  ['a BigInt', 10n, '10n'],
  ['a symbol', Symbol('id'), 'Symbol(id)'],
  ['an object', { taskId: 'x' }, "{ taskId: 'x' }"],
];

const verbs: Readonly<Record<string, (engine: Engine, taskId: string) => Promise<unknown>>> = {
  get: (engine, taskId) => engine.get(taskId),
  watch: (engine, taskId) => engine.watch(taskId).next(),
  outcome: (engine, taskId) => engine.outcome(taskId),
  cancel: (engine, taskId) => engine.cancel(taskId),
  answer: (engine, taskId) => engine.answer(taskId, { q1: { action: 'decline' } }),
};

describe.each(storeKinds)('a wrong call on the %s store', (kind) => {
  it.each(NO_JSON)(
    '[INPUT-13] %s as arguments is INVALID_ARGUMENT, and nothing is written',
    async (_what, args, why) => {
      const rig = await openLightRig(kind);
      const seen: unknown[] = [];
      const estimateMs = (given: unknown) => seen.push(given);
      const engine = await rig.idleEngine({ echo: { estimateMs, run: () => 1 } });
      await expect(engine.submit('echo', args)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^the arguments cannot be kept as JSON: /),
      });
      await expect(engine.submit('echo', args)).rejects.toThrow(why);
      expect((await engine.list()).tasks).toEqual([]);
      expect(seen, 'what the tool’s own code was shown').toEqual([]);
    },
  );

  it.each(OPTIONS)(
    '[INPUT-13] the option %s is checked (case %#), and nothing is written',
    async (field, value, shown) => {
      const rig = await openLightRig(kind);
      const engine = await rig.idleEngine({ echo: { run: () => 1 } });
      const submit = engine.submit('echo', {}, { [field]: value } as SubmitOptions);
      await expect(submit).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(shown) });
      await expect(submit).rejects.toThrow(new RegExp(`^${field} `));
      expect((await engine.list()).tasks).toEqual([]);
    },
  );

  it('[INPUT-13] arguments reach the tool as JSON carries them, in the first run already', async () => {
    const rig = await openLightRig(kind);
    const engine = await rig.engine({ echo: { run: (args: unknown) => args } });
    const args = { none: undefined, at: new Date(0), map: new Map([[1, 2]]) };
    const { task } = await engine.submit('echo', args);
    expect(task.args).toStrictEqual({ at: '1970-01-01T00:00:00.000Z', map: {} });
    expect(await engine.outcome(task.taskId)).toStrictEqual({ kind: 'result', value: task.args });
  });

  it.each(MALFORMED)('[INPUT-14] %s as a task id is TASK_NOT_FOUND for every verb', async (_what, taskId, shown) => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo: { run: () => 1 } });
    const other = (await engine.submit('echo')).task;
    for (const [name, verb] of Object.entries(verbs)) {
      const message = `there is no task ${shown}`;
      await expect(verb(engine, taskId as string), name).rejects.toMatchObject({ code: 'TASK_NOT_FOUND', message });
    }
    expect(await engine.get(other.taskId)).toEqual(other);
  });

  it.each<unknown>([undefined, null, 10n, Symbol('tool'), ['echo']])(
    '[INPUT-14] %o as a tool is TOOL_NOT_FOUND',
    async (name) => {
      const rig = await openLightRig(kind);
      const engine = await rig.idleEngine({ echo: { run: () => 1 } });
      await expect(engine.submit(name as string)).rejects.toMatchObject({
        code: 'TOOL_NOT_FOUND',
        message: expect.stringMatching(/^there is no tool .*; expected echo$/),
      });
    },
  );

  it.each([undefined, null, 'yes', 7])('[INPUT-13] %o as answers is ANSWER_INVALID', async (answers) => {
    const rig = await openLightRig(kind);
    const engine = await rig.idleEngine({ echo: { run: () => 1 } });
    const { taskId } = (await engine.submit('echo')).task;
    await expect(engine.answer(taskId, answers as never)).rejects.toMatchObject({
      code: 'ANSWER_INVALID',
      message: expect.stringContaining('expected an object of answers by key'),
    });
  });
});
