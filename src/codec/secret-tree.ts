/** Marks the secret parts of a value: all of it, or parts of its members by name. A value without secrets has no tree. */
export type SecretTree = true | ReadonlyMap<string, SecretTree>;

/** Shown instead of a secret. */
export const MASK = '******';

/** Maps a value: the parts that the tree marks with `hide`, every other text with `keep`. */
export function mapSecrets(
  value: unknown,
  tree: SecretTree | undefined,
  use: { hide(secret: unknown): unknown; keep(text: string): string },
): unknown {
  if (tree === true) return use.hide(value);
  if (typeof value === 'string') return use.keep(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one, place) => mapSecrets(one, tree?.get(String(place)), use));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapSecrets(one, tree?.get(key), use)]));
}

/** Returns the value with each secret masked. */
export function maskSecrets(value: unknown, tree: SecretTree | undefined): unknown {
  return tree === undefined ? value : mapSecrets(value, tree, { hide: () => MASK, keep: (text) => text });
}

/** Builds a tree from the members for which `find` returns one. */
export function toTree(
  value: unknown,
  find: (member: unknown, key: string) => SecretTree | undefined,
): SecretTree | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const found = Object.entries(value).flatMap(([key, member]) => {
    const tree = find(member, key);
    return tree === undefined ? [] : [[key, tree] as const];
  });
  return found.length === 0 ? undefined : new Map(found);
}

/** Converts the tree to JSON pointers, prefixed with `above`. */
export function toPointers(tree: SecretTree, above = ''): string[] {
  if (tree === true) return [above];
  return [...tree].flatMap(([key, below]) => {
    const segment = key.replaceAll('~', '~0').replaceAll('/', '~1');
    return toPointers(below, `${above}/${segment}`);
  });
}
