import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { ConfigField, ConfigNode, ObjectNode } from './config-node.ts';
import { type ConfigSyntax, syntaxError } from './config-syntax.ts';

/** JSON with comments and trailing commas, as editors write it. */
export const jsonSyntax: ConfigSyntax = {
  parse(text, path) {
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first) throw syntaxError({ path, text, offset: first.offset, problem: printParseErrorCode(first.error) });
    if (tree?.type !== 'object') throw syntaxError({ path, text, offset: 0, problem: 'it is no object' });
    return toObject(tree, text);
  },
  toKey: (name) => JSON.stringify(name),
  toField: (name, value) => `${JSON.stringify(name)}: ${value}`,
};

function toNode(node: Node, text: string): ConfigNode {
  const { type, offset: start, length, children = [] } = node;
  const end = start + length;
  if (type === 'object') return toObject(node, text);
  if (type === 'array') return { kind: 'array', start, end, items: children.map((child) => toNode(child, text)) };
  return { kind: 'scalar', start, end, value: node.value as unknown };
}

function toObject({ children = [] }: Node, text: string): ObjectNode {
  return { kind: 'object', fields: children.flatMap((property) => toFields(property, text)) };
}

function toFields({ children: [key, value] = [] }: Node, text: string): ConfigField[] {
  if (!key || !value) return [];
  const keys = [{ start: key.offset, end: key.offset + key.length }];
  const place = { start: key.offset, separator: `,${toGap(text, key.offset)}`, prefix: '' };
  return [{ name: String(key.value), keys, value: toNode(value, text), place }];
}

/** Siblings of a field that starts a line are inserted on lines of their own. */
function toGap(text: string, offset: number): string {
  const [, gap] = /(\r?\n[\t ]*)$/.exec(text.slice(0, offset)) ?? [];
  return gap ?? ' ';
}
