/**
 * Finds a short list that still fails (ddmin, by Zeller and Hildebrandt): removes parts, larger ones first, as long as the
 * remaining list fails.
 *
 * A flaky failure is shrunk only as far as it failed when tried; the result did fail once.
 */
export interface ShrinkOptions<T> {
  /** Whether this list still fails. */
  readonly fails: (list: readonly T[]) => Promise<boolean>;
  /** Maximum number of tries. @default 60 */
  readonly maxTries?: number;
  readonly onTry?: (tried: { readonly size: number; readonly failed: boolean; readonly tries: number }) => void;
}

export interface Shrunk<T> {
  readonly list: readonly T[];
  readonly tries: number;
  /** Whether no single entry can be removed; `false` when the tries ran out first. */
  readonly isShortest: boolean;
}

export async function shrink<T>(whole: readonly T[], options: ShrinkOptions<T>): Promise<Shrunk<T>> {
  const { fails, maxTries = 60, onTry = () => {} } = options;
  let tries = 0;
  const attempt = async (list: readonly T[]) => {
    tries += 1;
    const failed = await fails(list);
    onTry({ size: list.length, failed, tries });
    return failed;
  };
  let list = whole;
  let parts = 2;
  while (list.length > 0 && tries < maxTries) {
    const next = await leaveOutOne(list, Math.min(parts, list.length), (rest) =>
      tries < maxTries ? attempt(rest) : Promise.resolve(false),
    );
    if (next !== undefined) {
      list = next;
      parts = Math.max(2, parts - 1);
    } else if (parts < list.length) parts = Math.min(list.length, parts * 2);
    else return { list, tries, isShortest: tries < maxTries };
  }
  return { list, tries, isShortest: list.length === 0 };
}

async function leaveOutOne<T>(
  list: readonly T[],
  parts: number,
  attempt: (rest: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (let part = 0; part < parts; part++) {
    const [from, to] = [(list.length * part) / parts, (list.length * (part + 1)) / parts].map(Math.floor);
    const rest = [...list.slice(0, from), ...list.slice(to)];
    if (await attempt(rest)) return rest;
  }
  return undefined;
}
