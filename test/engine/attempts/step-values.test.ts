/** The compiler's part of these claims is checked by `tsc -p test`. */
import type { Json, Jsonify, TaskContext } from 'holdfast';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { openLightRig } from '../open-rig.ts';

interface Row {
  readonly id: number;
  readonly at: Date;
  readonly note: string | undefined;
  readonly tags: Map<string, string>;
  readonly seen: (Date | undefined)[];
  save(): void;
}

const row: Row = {
  id: 1,
  at: new Date(0),
  note: undefined,
  tags: new Map([['a', 'b']]),
  seen: [new Date(0), undefined],
  save() {},
};

describe('what a step returns', () => {
  it('[ROOMS-148] is what JSON makes of the value, at once and to the compiler', async () => {
    const rig = await openLightRig('memory');
    const run = async (_args: unknown, task: TaskContext) => {
      const kept = await task.step('row', () => row);
      expectTypeOf(kept).toEqualTypeOf<{
        readonly id: number;
        readonly at: string;
        readonly note?: string;
        readonly tags: Record<string, never>;
        readonly seen: (string | null)[];
      }>();
      return [typeof kept.at, 'note' in kept, kept.tags, kept.seen, 'save' in kept];
    };
    const engine = await rig.engine({ rows: { run } });
    const { task } = await engine.submit('rows');
    const time = '1970-01-01T00:00:00.000Z';
    expect(await engine.outcome(task.taskId)).toEqual({
      kind: 'result',
      value: ['string', false, {}, [time, null], false],
    });
  });

  it('[ROOMS-149] follows JSON for every kind of value', () => {
    expectTypeOf<Jsonify<string | number | boolean | null>>().toEqualTypeOf<string | number | boolean | null>();
    expectTypeOf<Jsonify<undefined>>().toEqualTypeOf<null>();
    expectTypeOf<Jsonify<void>>().toEqualTypeOf<null>();
    expectTypeOf<Jsonify<unknown>>().toEqualTypeOf<Json>();
    expectTypeOf<Jsonify<Json>>().toEqualTypeOf<Json>();
    expectTypeOf<Jsonify<() => void>>().toBeNever();
    expectTypeOf<Jsonify<bigint>>().toBeNever();
    expectTypeOf<Jsonify<URL>>().toEqualTypeOf<string>();
    expectTypeOf<Jsonify<Set<string>>>().toEqualTypeOf<Record<string, never>>();
    expectTypeOf<Jsonify<Uint8Array>>().toEqualTypeOf<Record<string, number>>();
    expectTypeOf<Jsonify<Error & { code: string }>>().toEqualTypeOf<{ code: string }>();
    expectTypeOf<Jsonify<[Date, () => void]>>().toEqualTypeOf<[string, null]>();
    expectTypeOf<Jsonify<{ a: (() => void) | string; b: unknown; [Symbol.iterator]: 1 }>>().toEqualTypeOf<{
      a?: string;
      b?: Json;
    }>();
    const told: { [Kind in 'url' | 'set' | 'bytes' | 'list' | 'none']: Json | undefined } = JSON.parse(
      JSON.stringify({
        url: new URL('https://a.example'),
        set: new Set(['a']),
        bytes: new Uint8Array([7]),
        list: [new Date(0), () => {}],
        none: undefined,
      }),
    );
    expect(told).toEqual({
      url: 'https://a.example/',
      set: {},
      bytes: { 0: 7 },
      list: ['1970-01-01T00:00:00.000Z', null],
    });
  });
});
