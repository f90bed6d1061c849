/**
 * The names under which tools and prompts of several upstreams are shown.
 *
 * A name gets its upstream's name as a prefix only where two upstreams use it. A name never changes once it is assigned: a name
 * that a model has learnt must not point to another upstream because one connected later, or was away for a while.
 */

/** The upstream and the original name behind a shown name. */
export interface NamedItem {
  readonly upstream: string;
  readonly name: string;
}

/** By shown name. */
export type NameTable = Readonly<Record<string, NamedItem>>;

/** The names that an upstream has now. */
export interface UpstreamNames {
  readonly upstream: string;
  readonly names: readonly string[];
}

/** Returns the table with names for all items that had none. `isTaken` says which names must not be assigned. */
export function assignNames(
  known: NameTable,
  lists: readonly UpstreamNames[],
  isTaken: (name: string) => boolean = () => false,
): NameTable {
  const table = new Map(Object.entries(known));
  const shown = new Map([...table].map(([name, item]) => [toKey(item), name]));
  const owners = countOwners(lists);
  for (const { upstream, names } of lists) {
    for (const name of names) {
      if (shown.has(toKey({ upstream, name }))) continue;
      const isFree = (one: string) => !table.has(one) && !isTaken(one);
      const chosen = (owners.get(name) ?? 0) === 1 && isFree(name) ? name : toPrefixed(upstream, name, isFree);
      table.set(chosen, { upstream, name });
      shown.set(toKey({ upstream, name }), chosen);
    }
  }
  return Object.fromEntries(table);
}

/** Returns the name under which an item is shown, if it has one. */
export function findShownName(table: NameTable, { upstream, name }: NamedItem): string | undefined {
  if (isSame(table[name], { upstream, name })) return name;
  return Object.keys(table).find((shown) => isSame(table[shown], { upstream, name }));
}

function isSame(one: NamedItem | undefined, other: NamedItem): boolean {
  return one !== undefined && one.upstream === other.upstream && one.name === other.name;
}

function countOwners(lists: readonly UpstreamNames[]): Map<string, number> {
  const owners = new Map<string, number>();
  for (const { names } of lists) {
    for (const name of new Set(names)) owners.set(name, (owners.get(name) ?? 0) + 1);
  }
  return owners;
}

function toPrefixed(upstream: string, name: string, isFree: (name: string) => boolean): string {
  const prefix = upstream.replace(/[^A-Za-z0-9_-]/g, '_');
  const wanted = `${prefix}_${name}`;
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? wanted : `${wanted}_${count}`;
    if (isFree(candidate)) return candidate;
  }
}

function toKey({ upstream, name }: NamedItem): string {
  return JSON.stringify([upstream, name]);
}
