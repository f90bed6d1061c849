/** A value that is there, or comes. Codecs may be either, and what is there must not wait a turn. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value at once when it is there. */
export function chain<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Builds something out of parts that may each take time.
 *
 * `build` must be pure and ask for the same parts each time: it is run a second time when some of them had to be awaited.
 */
export function buildSoon<T>(build: (part: <P>(make: () => Soon<P>) => P) => T): Soon<T> {
  const parts: Soon<unknown>[] = [];
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
