import { createEngine, type EngineOptions } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { openLightRig } from '../engine/open-rig.ts';

const nullish = Object.create(null);

const ENGINE: readonly [field: string, value: unknown, shown: string, expected: RegExp][] = [
  ['name', '', '""', /a non-empty text/],
  ['name', 7, '7', /a non-empty text/],
  ['workers', 'detatched', '"detatched"', /'inline', 'detached' or 'none'/],
  ['concurrency', 0, '0', /from 1 up/],
  ['concurrency', 1.5, '1.5', /a whole number/],
  ['concurrency', '4', '"4"', /a whole number/],
  ['leaseMs', Number.NaN, 'NaN', /a whole number from 100 up/],
  ['leaseMs', 0, '0', /a whole number from 100 up/],
  ['queueLimit', -1, '-1', /a whole number from 0 up/],
  ['parkMs', nullish, '[Object: null prototype] {}', /a whole number/],
  ['sweepMs', 10n, '10n', /a whole number/],
  ['store', 'tasks.db', '"tasks.db"', /an opened store/],
  ['tools', 'all', '"all"', /an object of tools/],
  ['outbox', { mail: 'yes' }, '"yes"', /a function/],
  ['onError', 'log', '"log"', /a function/],
  ['onWorkers', 'log', '"log"', /a function/],
  ['identity', '', '""', /a non-empty text/],
];

const TOOL: readonly [field: string, value: unknown, shown: string, expected: RegExp][] = [
  ['run', 'echo', '"echo"', /a function/],
  ['idempotent', 'false', '"false"', /type boolean/],
  ['isolate', 1, '1', /^true, false or 'auto'$/],
  ['isolate', 'Auto', '"Auto"', /^true, false or 'auto'$/],
  ['estimateMs', '5 s', '"5 s"', /type number or function/],
  ['concurrency', 0, '0', /a whole number above 0/],
  ['maxRunMs', -5, '-5', /a whole number above 0/],
  ['stallMs', Number.NaN, 'NaN', /a whole number above 0/],
  ['pollIntervalMs', '1000', '"1000"', /a whole number above 0/],
  ['maxResultBytes', 1.5, '1.5', /a whole number above 0/],
  ['retry', { maxAttempts: 2 }, '{ maxAttempts: 2 }', /idempotent: true/],
];

const RETRY: readonly [field: string, value: unknown, shown: string, expected: RegExp][] = [
  ['maxAttempts', 0, '0', /a whole number above 0/],
  ['firstDelayMs', '1', '"1"', /a whole number above 0/],
  ['maxDelayMs', -1, '-1', /a whole number above 0/],
  ['when', 'always', '"always"', /type function/],
];

async function refusalOf(options: Record<string, unknown>): Promise<unknown> {
  const { store } = await openLightRig('memory');
  return createEngine({ name: 'test', store, ...options } as unknown as EngineOptions).then(
    () => 'was accepted',
    (error) => error,
  );
}

function expectComplaint(error: unknown, said: string, expected: RegExp): void {
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(said) });
  expect((error as Error).message.split('; expected ')[1]).toMatch(expected);
}

describe('an option with a wrong value', () => {
  it.each(ENGINE)(
    '[INPUT-13] %s of an engine: %o is refused with what is expected',
    async (...[field, value, shown, expected]) => {
      const said = field === 'outbox' ? `outbox.mail is ${shown}` : `${field} is ${shown}`;
      expectComplaint(await refusalOf({ [field]: value }), said, expected);
    },
  );

  it.each(TOOL)(
    '[INPUT-13] %s of a tool: %o is refused with what is expected',
    async (...[field, value, shown, expected]) => {
      const tools = { report: { run: () => 1, [field]: value } };
      expectComplaint(await refusalOf({ tools }), `tool report: ${field} is ${shown}`, expected);
    },
  );

  it.each(RETRY)(
    '[INPUT-13] retry.%s of a tool: %o is refused with what is expected',
    async (...[field, value, shown, expected]) => {
      const tools = { report: { run: () => 1, idempotent: true, retry: { [field]: value } } };
      expectComplaint(await refusalOf({ tools }), `tool report: retry.${field} is ${shown}`, expected);
    },
  );

  it('[INPUT-13] no options and no tool at all are refused the same way', async () => {
    await expect(createEngine(undefined as unknown as EngineOptions)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'name is undefined; expected a non-empty text',
    });
    expectComplaint(await refusalOf({ tools: { report: null } }), 'tool report: run is undefined', /a function/);
  });
});
