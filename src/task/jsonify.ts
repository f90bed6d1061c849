import type { Json } from './json.ts';

/**
 * What is left of a value after it was written as JSON and read again: a `Date` is a text, a `Map` an empty object, members
 * that are `undefined` or functions are gone. `never` for what has no JSON form, such as a bigint or a function.
 */
export type Jsonify<T> = 0 extends 1 & T ? T : unknown extends T ? Json : T extends unknown ? Part<T> : never;

/** One member of a union. */
type Part<T> = undefined extends T
  ? null
  : T extends string | number | boolean | null
    ? T
    : T extends bigint | symbol | Callable
      ? never
      : T extends { toJSON(...args: never): infer Told }
        ? Jsonify<Told>
        : T extends Json
          ? T
          : T extends readonly unknown[]
            ? { [Index in keyof T]: Item<T[Index]> }
            : Thing<T>;

/** Objects whose content is not made of properties of their own: JSON sees none of it. */
type Thing<T> = T extends Opaque
  ? Record<string, never>
  : T extends ArrayBufferView
    ? Record<string, number>
    : T extends Error
      ? Members<Omit<T, keyof Error>>
      : Members<T>;

type Callable = (...args: never) => unknown;

type Opaque =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<WeakKey, unknown>
  | WeakSet<WeakKey>
  | Promise<unknown>
  | RegExp
  | ArrayBuffer
  | DataView;

/** In a list the place of what JSON drops is kept. */
type Item<T> = T extends Dropped ? null : Jsonify<T>;

/** Symbols as names, and members that can only be dropped, are gone; those that may be dropped are optional. */
type Members<T> = { [Key in keyof T as Named<Key, T[Key], 'kept'>]: Jsonify<T[Key]> } & {
  [Key in keyof T as Named<Key, T[Key], 'optional'>]?: Jsonify<Exclude<T[Key], Dropped>>;
} extends infer Both
  ? { [Key in keyof Both]: Both[Key] }
  : never;

type Named<Key, Value, Wanted> = Key extends symbol ? never : Fate<Value> extends Wanted ? Key : never;

type Fate<T> = 0 extends 1 & T
  ? 'kept'
  : unknown extends T
    ? 'optional'
    : [T] extends [Dropped]
      ? 'dropped'
      : Extract<T, Dropped> extends never
        ? 'kept'
        : 'optional';

type Dropped = undefined | symbol | Callable;
