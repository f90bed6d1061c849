import { describe, expect, it } from 'vitest';
import { openRig, storeKinds } from '../engine/open-rig.ts';

class QuotaError extends Error {
  readonly code = 'QUOTA_SPENT';
}

/** An error that throws again when somebody asks for one of its parts. */
function hostile(part: 'message' | 'stack' | 'code'): Error {
  return Object.defineProperty(new Error('looks harmless'), part, {
    get() {
      throw new Error(`do not read my ${part}`);
    },
  });
}

const unreadable = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error('no');
    },
  },
);

const circular: { self?: unknown } = {};
circular.self = circular;

const oddParts = Object.assign(new Error('odd'), { code: 42, stack: circular });

const UNREADABLE = 'the tool threw something that cannot be read';

const THROWN: readonly [what: string, thrown: unknown, error: object][] = [
  ['an Error', new Error('no such page'), { code: 'TOOL_FAILED', message: 'no such page' }],
  ['an Error with a code', new QuotaError('all spent'), { code: 'QUOTA_SPENT', message: 'all spent' }],
  ['an Error without a message', new RangeError(), { code: 'TOOL_FAILED', message: 'RangeError' }],
  ['a frozen Error', Object.freeze(new Error('frozen')), { code: 'TOOL_FAILED', message: 'frozen' }],
  ['an Error with odd parts', oddParts, { code: 'TOOL_FAILED', message: 'odd' }],
  ['a text', 'just a text', { code: 'TOOL_FAILED', message: 'the tool threw "just a text"' }],
  ['undefined', undefined, { code: 'TOOL_FAILED', message: 'the tool threw undefined' }],
  ['null', null, { code: 'TOOL_FAILED', message: 'the tool threw null' }],
  ['an object', { status: 404 }, { code: 'TOOL_FAILED', message: 'the tool threw {"status":404}' }],
  ['a circular object', circular, { code: 'TOOL_FAILED', message: 'the tool threw [object Object]' }],
  ['a symbol', Symbol('why'), { code: 'TOOL_FAILED', message: 'the tool threw Symbol(why)' }],
  ['a BigInt', 10n, { code: 'TOOL_FAILED', message: expect.stringContaining('the tool threw') }],
  ['an Error with a hostile message', hostile('message'), { code: 'TOOL_FAILED', message: UNREADABLE }],
  ['an Error with a hostile code', hostile('code'), { code: 'TOOL_FAILED', message: UNREADABLE }],
  ['an Error with a hostile stack', hostile('stack'), { code: 'TOOL_FAILED', message: UNREADABLE }],
  ['a hostile proxy', unreadable, { code: 'TOOL_FAILED', message: UNREADABLE }],
];

describe.each(storeKinds)('a tool that throws on the %s store', (kind) => {
  it.each(THROWN)(
    '[INPUT-01] %s ends its task with it, now or later, and the next task runs',
    async (_what, thrown, error) => {
      const rig = await openRig(kind);
      const tools = {
        atOnce: {
          run: () => {
            throw thrown;
          },
        },
        later: { run: () => Promise.reject(thrown) },
        // Whether it is worth another attempt is asked first, and must not trip over it either.
        repeatable: { idempotent: true, run: () => Promise.reject(thrown) },
        fine: { run: () => 'fine' },
      };
      const engine = await rig.engine(tools, { concurrency: 1 });
      for (const tool of ['atOnce', 'later', 'repeatable']) {
        const { taskId } = (await engine.submit(tool)).task;
        expect(await engine.outcome(taskId)).toMatchObject({ kind: 'error', error });
        expect((await engine.get(taskId)).status).toBe('failed');
      }
      const { taskId } = (await engine.submit('fine')).task;
      expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: 'fine' });
    },
  );

  it('[INPUT-01] an error keeps its stack for the author, and its message for everybody', async () => {
    const rig = await openRig(kind);
    const engine = await rig.engine({ fails: { run: () => Promise.reject(new Error('at this place')) } });
    const { taskId } = (await engine.submit('fails')).task;
    const outcome = await engine.outcome(taskId);
    expect(outcome).toMatchObject({ error: { stack: expect.stringContaining('tool-throws.test') } });
    expect(await engine.get(taskId)).toMatchObject({ statusMessage: 'at this place' });
  });

  it('[INPUT-01] an error with a message of many megabytes is cut, not stored whole', async () => {
    const rig = await openRig(kind);
    const engine = await rig.engine({ fails: { run: () => Promise.reject(new Error('x'.repeat(20_000_000))) } });
    const { taskId } = (await engine.submit('fails')).task;
    await engine.outcome(taskId);
    const { statusMessage = '', outcome } = await engine.get(taskId);
    expect(statusMessage).toMatch(/^x{1000,}…$/);
    expect(JSON.stringify(outcome).length).toBeLessThan(200_000);
  });
});
