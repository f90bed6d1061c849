/** A configuration file as a tree that knows where each part stands in the text, whatever the syntax. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode extends Span {
  readonly kind: 'scalar';
  readonly value: unknown;
}

export interface ArrayNode extends Span {
  readonly kind: 'array';
  readonly items: readonly ConfigNode[];
}

export interface ObjectNode {
  readonly kind: 'object';
  readonly fields: readonly ConfigField[];
}

export type ConfigNode = ScalarNode | ArrayNode | ObjectNode;

export interface ConfigField {
  readonly name: string;
  /** Where its name stands; a table of TOML may be named in several places. */
  readonly keys: readonly Span[];
  readonly value: ConfigNode;
  /** Where a neighbour of it is written, and how. */
  readonly place: FieldPlace;
}

/** How one more field is written before another: behind it there may be a comment that belongs to it. */
export interface FieldPlace {
  readonly start: number;
  /** Between the two. */
  readonly separator: string;
  /** What names the object the field belongs to, where a line of its own does: `mcp_servers.one.`. */
  readonly prefix: string;
}

/** One piece of text in the place of another. */
export interface Edit extends Span {
  readonly text: string;
}

/** The field of a name; of several the last, which is the one that programs take. */
export function findField(node: ConfigNode | undefined, name: string): ConfigField | undefined {
  return node?.kind === 'object' ? node.fields.findLast((field) => field.name === name) : undefined;
}

/** The text of a field, if it is one. */
export function readText(node: ConfigNode | undefined, name: string): string | undefined {
  const value = findField(node, name)?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

/** The texts of an array, if it has nothing else. */
export function toTexts(node: ConfigNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  const texts = node.items.map((item) => (item.kind === 'scalar' ? item.value : undefined));
  return texts.every((text) => typeof text === 'string') ? texts : undefined;
}

/** From the first letter of an object's fields to the last; what stands between belongs to it, in all but odd files. */
export function toRegion(node: ObjectNode): Span {
  const spans = node.fields.flatMap(listSpans);
  return { start: Math.min(...spans.map(({ start }) => start)), end: Math.max(...spans.map(({ end }) => end)) };
}

function listSpans({ keys, value, place }: ConfigField): readonly Span[] {
  const own = place.start > 0 ? [{ start: place.start, end: place.start }, ...keys] : keys;
  return value.kind === 'object' ? [...own, ...value.fields.flatMap(listSpans)] : [...own, value];
}

/** Puts pieces of text in the place of others. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const backwards = [...edits].sort((one, other) => other.start - one.start);
  return backwards.reduce((now, { start, end, text: piece }) => now.slice(0, start) + piece + now.slice(end), text);
}
