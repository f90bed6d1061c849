/**
 * Under which names the tools and prompts of several upstreams are shown.
 *
 * A name is prefixed with that of its upstream only where two upstreams have it. One that has been given stays: what a model
 * has learnt to call must not become somebody else's because an upstream came later, or was away for a while.
 */

/** Whose a shown name is. */
export interface NamedItem {
  readonly upstream: string;
  readonly name: string;
}

/** By the name that is shown. */
export type NameTable = Readonly<Record<string, NamedItem>>;

/** What the upstreams have now. */
export interface UpstreamNames {
  readonly upstream: string;
  readonly names: readonly string[];
}

/** The table with names for everything that has none yet. `isTaken` says which names are nobody's to have. */
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

/** The name under which something is shown, if it has one. */
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
