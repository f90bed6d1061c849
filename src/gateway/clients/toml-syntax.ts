import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import type { ConfigField, ConfigNode, FieldPlace, ObjectNode, Span } from './config-node.ts';
import { type ConfigSyntax, syntaxError } from './config-syntax.ts';

/** TOML syntax: one object may be spread over several tables and dotted keys. */
export const tomlSyntax: ConfigSyntax = {
  parse(text, path) {
    try {
      return toTree(parseTOML(text), text);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      throw syntaxError({ path, text, offset: error.index, problem: error.message });
    }
  },
  toKey: (name) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name)),
  toField: (name, value) => `${name} = ${value}`,
};

/** An object while it is being built. */
interface Growing {
  readonly kind: 'object';
  readonly fields: GrowingField[];
}

interface GrowingField extends ConfigField {
  readonly keys: Span[];
}

type KeyPart = AST.TOMLBare | AST.TOMLQuoted;

// For an object that is spread over several places: no sibling can be inserted next to it.
const NOWHERE: FieldPlace = { start: 0, separator: '\n', prefix: '' };

function toTree(program: AST.TOMLProgram, text: string): ObjectNode {
  const root: Growing = { kind: 'object', fields: [] };
  for (const part of program.body[0].body) {
    if (part.type === 'TOMLKeyValue') addKeyValue(root, part, text);
    // Arrays of tables hold no servers.
    else if (part.kind === 'standard') addTable(root, part, text);
  }
  return root;
}

function addTable(root: Growing, table: AST.TOMLTable, text: string): void {
  const object = table.key.keys.reduce((at, key) => open(at, key), root);
  for (const pair of table.body) addKeyValue(object, pair, text);
}

function addKeyValue(object: Growing, pair: AST.TOMLKeyValue, text: string): void {
  addPair(object, pair, { text, separator: toGap(text, pair.key.range[0]) });
}

interface PairPlace {
  readonly text: string;
  /** Text between this pair and one inserted before it. */
  readonly separator: string;
}

function addPair(object: Growing, { key, value }: AST.TOMLKeyValue, { text, separator }: PairPlace): void {
  const last = key.keys.at(-1);
  if (!last) return;
  const at = key.keys.slice(0, -1).reduce((one, part) => open(one, part), object);
  const [start] = key.range;
  const place = { start, separator, prefix: text.slice(start, last.range[0]) };
  at.fields.push({ name: toName(last), keys: [toSpan(last)], value: toNode(value, text), place });
}

/** Returns the object of a name, creating it unless an earlier table or key has. */
function open(parent: Growing, key: KeyPart): Growing {
  const name = toName(key);
  const known = parent.fields.findLast((field) => field.name === name);
  if (known?.value.kind === 'object') {
    known.keys.push(toSpan(key));
    return known.value as Growing;
  }
  const value: Growing = { kind: 'object', fields: [] };
  parent.fields.push({ name, keys: [toSpan(key)], value, place: NOWHERE });
  return value;
}

function toNode(node: AST.TOMLContentNode, text: string): ConfigNode {
  const [start, end] = node.range;
  if (node.type === 'TOMLArray') {
    return { kind: 'array', start, end, items: node.elements.map((item) => toNode(item, text)) };
  }
  if (node.type === 'TOMLValue') return { kind: 'scalar', start, end, value: node.value };
  const inline: Growing = { kind: 'object', fields: [] };
  for (const pair of node.body) addPair(inline, pair, { text, separator: ', ' });
  return inline;
}

/** A sibling of a field on its own line gets the same indentation. */
function toGap(text: string, start: number): string {
  const [, indent = ''] = /(?:^|\n)([\t ]*)$/.exec(text.slice(0, start)) ?? [];
  return `${text.includes('\r\n') ? '\r\n' : '\n'}${indent}`;
}

function toName(key: KeyPart): string {
  return key.type === 'TOMLBare' ? key.name : key.value;
}

function toSpan({ range: [start, end] }: KeyPart): Span {
  return { start, end };
}
