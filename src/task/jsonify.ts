import type { Json } from './json.ts';

/**
 * The type of a value after a round trip through JSON: a `Date` becomes a text, a `Map` an empty object, members that are
 * `undefined` or functions are dropped. `never` for a value without a JSON form, such as a bigint or a function.
 */
export type Jsonify<T> = 0 extends 1 & T ? T : unknown extends T ? Json : T extends unknown ? Part<T> : never;

/** Converts one member of a union. */
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

/** Converts an object: JSON drops the content of objects that have no own properties for it. */
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

/** A dropped list element becomes `null`. */
type Item<T> = T extends Dropped ? null : Jsonify<T>;

/** Drops symbol keys and members that JSON always drops; members that JSON may drop become optional. */
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
