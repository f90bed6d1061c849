/** A configuration file as a syntax-independent tree that records the position of each part in the text. */

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
  /** Positions of its name; a TOML table may be named in several places. */
  readonly keys: readonly Span[];
  readonly value: ConfigNode;
  /** Where and how a sibling field can be inserted. */
  readonly place: FieldPlace;
}

/** How to insert a field before another one. Inserting after it could separate it from its trailing comment. */
export interface FieldPlace {
  readonly start: number;
  /** Text between the inserted field and the next one. */
  readonly separator: string;
  /** The dotted prefix before a field's name, when its line repeats the path of its object: `mcp_servers.one.`. */
  readonly prefix: string;
}

/** Replaces one span of text with another text. */
export interface Edit extends Span {
  readonly text: string;
}

/** Returns the field of a name; the last of several, which is the one that programs use. */
export function findField(node: ConfigNode | undefined, name: string): ConfigField | undefined {
  return node?.kind === 'object' ? node.fields.findLast((field) => field.name === name) : undefined;
}

/** Returns the text of a field, if its value is a string. */
export function readText(node: ConfigNode | undefined, name: string): string | undefined {
  const value = findField(node, name)?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}

/** Returns the items of an array, if all are strings. */
export function toTexts(node: ConfigNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  const texts = node.items.map((item) => (item.kind === 'scalar' ? item.value : undefined));
  return texts.every((text) => typeof text === 'string') ? texts : undefined;
}

/**
 * The span from the start of an object's first field to the end of its last. Text in between belongs to the object too, in all
 * but odd files.
 */
export function toRegion(node: ObjectNode): Span {
  const spans = node.fields.flatMap(listSpans);
  return { start: Math.min(...spans.map(({ start }) => start)), end: Math.max(...spans.map(({ end }) => end)) };
}

function listSpans({ keys, value, place }: ConfigField): readonly Span[] {
  const own = place.start > 0 ? [{ start: place.start, end: place.start }, ...keys] : keys;
  return value.kind === 'object' ? [...own, ...value.fields.flatMap(listSpans)] : [...own, value];
}

/** Applies edits to a text. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const backwards = [...edits].sort((one, other) => other.start - one.start);
  return backwards.reduce((now, { start, end, text: piece }) => now.slice(0, start) + piece + now.slice(end), text);
}
