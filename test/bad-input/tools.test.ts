import { type TaskContext, TaskError } from 'holdfast';
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, type StoreKind, storeKinds } from '../engine/open-rig.ts';

async function outcomeOf(kind: StoreKind, run: (args: unknown, task: TaskContext) => unknown, options: object = {}) {
  const rig = await openLightRig(kind);
  const engine = await rig.engine({ bad: { run, ...options }, good: { run: () => 'good' } });
  const { taskId } = (await engine.submit('bad')).task;
  const outcome = await engine.outcome(taskId, { signal: AbortSignal.timeout(10_000) });
  // Whatever the bad one did, the engine goes on.
  const good = (await engine.submit('good')).task.taskId;
  expect(await engine.outcome(good)).toEqual({ kind: 'result', value: 'good' });
  return outcome;
}

const raise = (thrown: unknown) => () => {
  throw thrown;
};

const circular: Record<string, unknown> = {};
circular.self = circular;
const bare = Object.create(null) as Record<string, unknown>;
bare.self = bare;

describe.each(storeKinds)('a bad tool on the %s store', (kind) => {
  it.each<[string, unknown, object]>([
    ['an Error', new RangeError('too far'), { code: 'TOOL_FAILED', message: 'too far' }],
    ['an Error with a code', Object.assign(new Error('no'), { code: 'EMINE' }), { code: 'EMINE', message: 'no' }],
    ['an Error without words', new TypeError(), { code: 'TOOL_FAILED', message: 'TypeError' }],
    ['a TaskError', new TaskError('TOOL_FAILED', 'x', { data: { n: 1 } }), { message: 'x', data: { n: 1 } }],
    ['a TaskError with data that is no JSON', new TaskError('TOOL_FAILED', 'x', { data: { n: 1n } }), { message: 'x' }],
    ['a string', 'oops', { code: 'TOOL_FAILED', message: 'the tool threw "oops"' }],
    ['undefined', undefined, { code: 'TOOL_FAILED', message: 'the tool threw undefined' }],
    ['an object', { why: 'none' }, { code: 'TOOL_FAILED', message: 'the tool threw {"why":"none"}' }],
    ['a circular object', circular, { code: 'TOOL_FAILED' }],
    ['an object without a prototype', bare, { code: 'TOOL_FAILED' }],
    ['an Error whose message is no text', Object.assign(new Error('x'), { message: 5n }), { message: '5' }],
  ])('[INPUT-01] that throws %s ends with an error that says so', async (_name, thrown, error) => {
    expect(await outcomeOf(kind, raise(thrown))).toMatchObject({ kind: 'error', error });
    expect(await outcomeOf(kind, async () => raise(thrown)())).toMatchObject({ kind: 'error', error });
  });

  it('[INPUT-02] that returns nothing ends with null as its result', async () => {
    expect(await outcomeOf(kind, () => {})).toEqual({ kind: 'result', value: null });
  });

  it.each<[string, unknown]>([
    ['something circular', circular],
    ['a BigInt', { n: 1n }],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['something whose toJSON throws', { toJSON: raise(new Error('no')) }],
  ])('[INPUT-03] that returns %s ends with RESULT_NOT_SERIALIZABLE', async (_name, value) => {
    const error = { code: 'RESULT_NOT_SERIALIZABLE', message: expect.stringContaining('cannot be kept as JSON') };
    expect(await outcomeOf(kind, () => value)).toMatchObject({ kind: 'error', error });
  });

  it.each<[string, (task: TaskContext) => unknown]>([
    ['a step', (task) => task.step('s', () => 1n)],
    ['a stream event', (task) => task.stream(circular as never)],
    ['a log line', (task) => task.log('info', 'x', 1n as never)],
  ])('[INPUT-03] that gives %s a value that is no JSON fails there, and the task ends', async (_name, use) => {
    const error = { code: 'RESULT_NOT_SERIALIZABLE' };
    expect(await outcomeOf(kind, (_args, task) => use(task))).toMatchObject({ kind: 'error', error });
  });

  it('[INPUT-03] that does not wait for a bad event keeps its result', async () => {
    const run = (_args: unknown, task: TaskContext) => {
      task.stream(1n as never).catch(() => {});
      return 'fine';
    };
    expect(await outcomeOf(kind, run)).toEqual({ kind: 'result', value: 'fine' });
  });

  it.each([Number.NaN, -1, Infinity, '0.5', null])(
    '[INPUT-01] that reports a progress of %s is told what is expected',
    async (value) => {
      const outcome = await outcomeOf(kind, (_args, task) => task.progress(value as number));
      const error = {
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('expected a finite number from 0 up'),
      };
      expect(outcome).toMatchObject({ kind: 'error', error });
    },
  );

  it('[INPUT-01] that logs at an unknown level is told the expected ones', async () => {
    const outcome = await outcomeOf(kind, (_args, task) => task.log('loud' as never, 'x'));
    const error = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('debug, info, warning, error') };
    expect(outcome).toMatchObject({ kind: 'error', error });
  });

  it('[INPUT-06] that ignores its signal ends as timed out or cancelled all the same', async () => {
    const rig = await openLightRig(kind);
    const never = createGate();
    const tools = { late: { maxRunMs: 20, run: () => never.opened }, deaf: { run: () => never.opened } };
    const engine = await rig.engine(tools, { abortGraceMs: 20 });
    const late = (await engine.submit('late')).task.taskId;
    const deaf = (await engine.submit('deaf')).task.taskId;
    await untilStatus(engine, deaf, 'working');
    await engine.cancel(deaf);
    expect(await engine.outcome(deaf)).toMatchObject({ kind: 'cancelled' });
    expect(await engine.outcome(late)).toMatchObject({ kind: 'error', error: { code: 'TIMED_OUT' } });
    await engine.close();
    expect(rig.takeErrors()).toHaveLength(2);
    never.open();
  });
});
