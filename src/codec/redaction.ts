/**
 * Which fields of a tool's arguments are kept out of sight.
 *
 * A rule is the name of a field, at any depth (`apiKey`), or a JSON pointer from the top (`/auth/token`), in which `*`
 * stands for any one member.
 */
import { invalidField } from '../invalid-field.ts';
import { DEEPEST_SECRET, MAX_SCRUBBED_VALUES } from '../limits.ts';
import { MASK, mapSecrets, type SecretTree, toTree } from './secret-tree.ts';

/** Which fields are kept out of sight. */
export interface Redaction {
  /** Fields of these names, at any depth. */
  readonly names: ReadonlySet<string>;
  readonly pointers: readonly (readonly string[])[];
}

/** What is expected of rules, in words. */
export const REDACTION_EXPECTED = 'a list of field names and JSON pointers such as "/auth/*"';

/** Whether something that an owner gave are rules. */
export function areRedactionRules(rules: unknown): rules is readonly string[] {
  return Array.isArray(rules) && rules.every((rule) => typeof rule === 'string' && rule !== '' && rule !== '/');
}

/** Reads rules; nothing when there are none. */
export function parseRedaction(rules: unknown): Redaction | undefined {
  if (rules === undefined) return undefined;
  if (!areRedactionRules(rules)) throw invalidField('redact', rules, REDACTION_EXPECTED);
  if (rules.length === 0) return undefined;
  return {
    names: new Set(rules.filter((rule) => !rule.startsWith('/'))),
    pointers: rules.filter((rule) => rule.startsWith('/')).map(toSegments),
  };
}

/** Both sets of rules together. */
export function joinRedactions(a: Redaction | undefined, b: Redaction | undefined): Redaction | undefined {
  if (!a || !b) return a ?? b;
  return { names: new Set([...a.names, ...b.names]), pointers: [...a.pointers, ...b.pointers] };
}

/** What the rules name in a value. */
export function findRedacted(value: unknown, { names, pointers }: Redaction): SecretTree | undefined {
  return find(value, { names, pointers, depth: 0 });
}

interface Looking extends Redaction {
  readonly depth: number;
}

function find(value: unknown, { names, pointers, depth }: Looking): SecretTree | undefined {
  if (pointers.some((pointer) => pointer.length === 0)) return true;
  if (value === null || typeof value !== 'object') return undefined;
  if (names.size === 0 && pointers.length === 0) return undefined;
  if (depth === DEEPEST_SECRET) return true;
  return toTree(value, (member, key) => {
    if (names.has(key)) return true;
    const below = pointers.filter(([first]) => first === key || first === '*').map(([, ...rest]) => rest);
    return find(member, { names, pointers: below, depth: depth + 1 });
  });
}

// https://www.rfc-editor.org/rfc/rfc6901#section-4
function toSegments(pointer: string): string[] {
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Short values are also parts of other words, and masking those would say what they are. */
const MIN_SCRUBBED = 4;

/**
 * Keeps secrets out of what a tool says: fields of redacted names, and the values of all that it was told of, wherever
 * they stand in a text.
 */
export class Scrubber {
  readonly #byName: Redaction;
  #secrets: readonly string[] = [];

  constructor(names: ReadonlySet<string> = new Set()) {
    this.#byName = { names, pointers: [] };
  }

  /** From now on what the tree names in a value is a secret. */
  add(value: unknown, tree: SecretTree | undefined): void {
    if (tree === undefined) return;
    const all = new Set([...this.#secrets, ...collectTexts(value, tree)]);
    // Longest first: one may be part of another.
    this.#secrets = [...all].sort((a, b) => b.length - a.length);
  }

  scrub(said: unknown): unknown {
    if (this.#secrets.length === 0 && this.#byName.names.size === 0) return said;
    const keep = (text: string) => this.#scrubText(text);
    return mapSecrets(said, findRedacted(said, this.#byName), { hide: () => MASK, keep });
  }

  #scrubText(text: string): string {
    if (this.#secrets.length > MAX_SCRUBBED_VALUES) return MASK;
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  }
}

function collectTexts(value: unknown, tree: SecretTree): string[] {
  const texts: string[] = [];
  const collect = (secret: unknown): void => {
    if (typeof secret === 'string' || typeof secret === 'number') texts.push(String(secret));
    else if (secret !== null && typeof secret === 'object') Object.values(secret).forEach(collect);
  };
  mapSecrets(value, tree, { hide: collect, keep: (text) => text });
  return texts.filter((text) => text.length >= MIN_SCRUBBED);
}
