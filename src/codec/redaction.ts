/**
 * Decides which fields of a tool's arguments are hidden.
 *
 * A rule is the name of a field, at any depth (`apiKey`), or a JSON pointer from the top (`/auth/token`), in which `*` matches
 * any one member.
 */
import { invalidField } from '../invalid-field.ts';
import { MAX_SCRUBBED_VALUES, MAX_SECRET_DEPTH } from '../limits.ts';
import { MASK, mapSecrets, type SecretTree, toTree } from './secret-tree.ts';

/** The fields to hide. */
export interface Redaction {
  /** Fields with these names, at any depth. */
  readonly names: ReadonlySet<string>;
  readonly pointers: readonly (readonly string[])[];
}

/** What redaction rules must be, for error messages. */
export const REDACTION_EXPECTED = 'a list of field names and JSON pointers such as "/auth/*"';

/** Whether a value given as an option is a list of redaction rules. */
export function areRedactionRules(rules: unknown): rules is readonly string[] {
  return Array.isArray(rules) && rules.every((rule) => typeof rule === 'string' && rule !== '' && rule !== '/');
}

/** Parses rules; returns `undefined` when there are none. */
export function parseRedaction(rules: unknown): Redaction | undefined {
  if (rules === undefined) return undefined;
  if (!areRedactionRules(rules)) throw invalidField('redact', rules, REDACTION_EXPECTED);
  if (rules.length === 0) return undefined;
  return {
    names: new Set(rules.filter((rule) => !rule.startsWith('/'))),
    pointers: rules.filter((rule) => rule.startsWith('/')).map(toSegments),
  };
}

/** Combines two sets of rules. */
export function joinRedactions(a: Redaction | undefined, b: Redaction | undefined): Redaction | undefined {
  if (!a || !b) return a ?? b;
  return { names: new Set([...a.names, ...b.names]), pointers: [...a.pointers, ...b.pointers] };
}

/** Returns the parts of a value that the rules match. */
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
  if (depth === MAX_SECRET_DEPTH) return true;
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

/** Shorter values are also parts of other words; masking those would reveal the value. */
const MIN_SCRUBBED = 4;

/**
 * Removes secrets from the output of a tool: fields with redacted names, and the values of all known secrets, wherever they occur
 * in a text.
 */
export class Scrubber {
  readonly #byName: Redaction;
  #secrets: readonly string[] = [];

  constructor(names: ReadonlySet<string> = new Set()) {
    this.#byName = { names, pointers: [] };
  }

  /** Adds the parts of a value that the tree marks to the known secrets. */
  add(value: unknown, tree: SecretTree | undefined): void {
    if (tree === undefined) return;
    const all = new Set([...this.#secrets, ...collectTexts(value, tree)]);
    // Longest first: one secret may be part of another.
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
