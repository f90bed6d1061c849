/** A value, or a promise of one. Codecs may return either; a value must be used without waiting for a microtask. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to a value: at once, or when its promise resolves. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Builds something from parts that may be promises.
 *
 * `build` must be pure and request the same parts each time: it runs a second time if any part was a promise.
 */
export function buildMaybeAsync<T>(build: (part: <P>(make: () => MaybePromise<P>) => P) => T): MaybePromise<T> {
  const parts: MaybePromise<unknown>[] = [];
  let isWaiting = false;
  const first = build((make) => {
    const part = make();
    parts.push(part);
    isWaiting ||= part instanceof Promise;
    return part as Awaited<typeof part>;
  });
  if (!isWaiting) return first;
  return Promise.all(parts).then((ready) => {
    let next = 0;
    return build(<P>() => ready[next++] as P);
  });
}
