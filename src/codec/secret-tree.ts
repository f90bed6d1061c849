/**
 * Which parts of a value are secret: all of it, or parts of its members by name. Nothing secret has no tree.
 */
export type SecretTree = true | ReadonlyMap<string, SecretTree>;

/** What is shown instead of a secret. */
export const MASK = '******';

/** Maps a value: what the tree names by `hide`, every other text by `keep`. */
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

/** The value with a mask for each secret. */
export function maskSecrets(value: unknown, tree: SecretTree | undefined): unknown {
  return tree === undefined ? value : mapSecrets(value, tree, { hide: () => MASK, keep: (text) => text });
}

/** A tree of the members that have one. */
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

/** The tree as JSON pointers, below a pointer. */
export function toPointers(tree: SecretTree, above = ''): string[] {
  if (tree === true) return [above];
  return [...tree].flatMap(([key, below]) => {
    const segment = key.replaceAll('~', '~0').replaceAll('/', '~1');
    return toPointers(below, `${above}/${segment}`);
  });
}
