/** The compiler's part of these claims is checked by `tsc -p test`: an expected error that does not come is one. */
import { createEngine, createMemoryStore, type Engine, type EngineOptions, type Json } from 'holdfast';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const input = z.object({ pages: z.number().default(3), at: z.string().transform((text) => new Date(text)) });

async function openTyped() {
  const store = createMemoryStore();
  const engine = await createEngine({
    name: 'typed',
    store,
    tools: {
      report: {
        input,
        estimateMs: ({ pages }) => pages * 1000,
        run: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ pages: number; at: Date }>();
          return [args.pages, args.at.getUTCFullYear()];
        },
      },
      greet: { run: (args: { name: string }, task) => `${args.name} ${task.attempt}` },
      count: { run: (args: { from?: number }) => args.from ?? 0 },
      plain: {
        input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        run: (args) => {
          expectTypeOf(args).toEqualTypeOf<Record<string, Json>>();
          return args.n;
        },
      },
      free: {
        run: (args) => {
          expectTypeOf(args).toBeUnknown();
          return args;
        },
      },
    },
  });
  onTestFinished(async () => {
    await engine.close();
    await store.close();
  });
  return engine;
}

async function run(engine: Engine, name: string, args?: unknown): Promise<unknown> {
  const { task } = await engine.submit(name, args);
  return engine.outcome(task.taskId);
}

describe('an engine whose tools are known', () => {
  it('[ROOMS-140] takes no name that no tool has', async () => {
    const engine = await openTyped();
    // @ts-expect-error there is no such tool
    await expect(engine.submit('nope', { wrong: 1 })).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  });

  it('[ROOMS-141] takes no arguments that do not fit the input of the tool', async () => {
    const engine = await openTyped();
    // @ts-expect-error `at` is missing and `wrong` is unknown
    await expect(engine.submit('report', { wrong: 1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('tool report: the arguments do not fit its input: '),
    });
    // @ts-expect-error they cannot be left out
    await expect(engine.submit('report')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(engine.submit('plain', { n: 'one' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect((await engine.list()).tasks).toEqual([]);
  });

  it('[ROOMS-142] gives a tool what its schema makes of the arguments', async () => {
    const engine = await openTyped();
    await engine.start();
    const { task } = await engine.submit('report', { at: '2026-11-17' });
    expect(task).toMatchObject({ args: { at: '2026-11-17' }, estimateMs: 3000 });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: [3, 2026] });
    expect(await run(engine, 'plain', { n: 7 })).toEqual({ kind: 'result', value: 7 });
  });

  it('[ROOMS-143] knows what a tool without a schema asks for from its `run`', async () => {
    const engine = await openTyped();
    await engine.start();
    // @ts-expect-error the name is a text
    await engine.submit('greet', { name: 1 });
    // @ts-expect-error the name is missing
    await engine.submit('greet');
    const { task } = await engine.submit('greet', { name: 'Ada' }, { ttlMs: 1000 });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: 'Ada 1' });
    await engine.submit('count');
    await engine.submit('free', new Map());
  });

  it('[ROOMS-144] can be given to whoever takes any engine', async () => {
    const engine = await openTyped();
    await engine.start();
    const any: Engine = engine;
    expect(await run(any, 'count', { from: 4 })).toEqual({ kind: 'result', value: 4 });
    expectTypeOf<Engine<{ greet: { name: string } }>['submit']>().parameter(0).toEqualTypeOf<'greet'>();
  });
});

describe('tools as they are declared', () => {
  const create = (tools: NonNullable<EngineOptions['tools']>) =>
    createEngine({ name: 'x', store: createMemoryStore(), tools });

  it('[ROOMS-145] cannot have a `run` that does not take what the schema makes', async () => {
    const wrong = { input: z.object({ n: z.number() }), run: (args: { n: string }) => args.n };
    // @ts-expect-error `n` is a number
    const engine = await createEngine({ name: 'x', store: createMemoryStore(), tools: { wrong } });
    await engine.close();
  });

  it('[ROOMS-145] cannot have members that tools do not have', async () => {
    const store = createMemoryStore();
    const made = createEngine({
      name: 'x',
      store,
      // @ts-expect-error it is `idempotent`
      tools: { wrong: { run: () => 1, idempotant: true } },
    });
    await expect(made).rejects.toThrow('did you mean idempotent?');
  });

  it('[ROOMS-145] cannot be called when they ask for what JSON does not carry', async () => {
    const engine = await createEngine({
      name: 'x',
      store: createMemoryStore(),
      tools: { late: { run: ({ at }: { at: Date }) => at } },
    });
    // @ts-expect-error the tool would get a text
    await engine.submit('late', { at: new Date() });
    await engine.close();
  });

  it('[ROOMS-146] an engine without known tools takes any name, and says at run time what is wrong', async () => {
    const engine: Engine = await createEngine({ name: 'x', store: createMemoryStore() });
    await expect(engine.submit('anything', { at: 1 })).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    await engine.close();
  });

  it.each([
    ['no schema', 'text'],
    ['not of type object', { type: 'string' }],
    ['not of type object', z.string()],
  ])('[ROOMS-147] an input that is %s is refused when the engine is opened', async (_what, wrong) => {
    await expect(create({ wrong: { input: wrong as never, run: () => 1 } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('tool wrong: input cannot be used: '),
    });
  });
});
