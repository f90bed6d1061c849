// @ts-check
import { findDeclarations } from './declarations.mjs';

/**
 * @typedef {import('./declarations.mjs').Declaration} Declaration
 * @typedef {import('./declarations.mjs').Node} Node
 */

/**
 * Lists types that the doors mention and none of them exports, as `Name (file)`. Users cannot name such a type in their code.
 *
 * A type alias that its file does not export counts as an abbreviation: only the types behind it are checked.
 *
 * @param {readonly import('./declarations.mjs').Door[]} doors
 */
export function findUnexported(doors) {
  const open = doors.flatMap(({ exports }) => exports.flatMap(({ declarations }) => declarations));
  const exported = new Set(open);
  /** @type {Set<Declaration>} */
  const seen = new Set();
  /** @type {Set<string>} */
  const missing = new Set();
  while (open.length > 0) {
    const declaration = /** @type {Declaration} */ (open.pop());
    if (seen.has(declaration)) continue;
    seen.add(declaration);
    const isAbbreviation = declaration.node.type === 'TSTypeAliasDeclaration' && !declaration.isExported;
    const isValue = declaration.node.type === 'VariableDeclarator';
    if (!exported.has(declaration) && !isAbbreviation && !isValue) {
      missing.add(`${declaration.name} (${declaration.file.replace(/^.*\/dist\//, '')})`);
    }
    for (const name of listNames(declaration.node)) open.push(...findDeclarations(declaration.file, name));
  }
  return [...missing].sort();
}

/**
 * Every type and value that a declaration mentions, except its own type parameters.
 * @param {Node} node @returns {Set<string>}
 */
function listNames(node) {
  /** @type {Set<string>} */
  const names = new Set();
  walk(node, new Set(), names);
  return names;
}

/** @param {unknown} node @param {ReadonlySet<string>} bound @param {Set<string>} names */
function walk(node, bound, names) {
  if (Array.isArray(node)) {
    for (const part of node) walk(part, bound, names);
    return;
  }
  if (node === null || typeof node !== 'object') return;
  const { type, ...parts } = /** @type {Node} */ (node);
  const inner = new Set([...bound, ...listBound(/** @type {Node} */ (node))]);
  const name = toNamed(/** @type {Node} */ (node));
  if (name !== undefined && !inner.has(name)) names.add(name);
  for (const part of Object.values(parts)) walk(part, inner, names);
}

/** The name that a node refers to, if any. @param {Node} node @returns {string | undefined} */
function toNamed(node) {
  if (node.type === 'TSTypeReference') return toFirst(node.typeName);
  if (node.type === 'TSTypeQuery') return toFirst(node.exprName);
  if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements') return toFirst(node.expression);
  if (node.type === 'ClassDeclaration') return toFirst(node.superClass);
  return undefined;
}

/** @param {Node | null | undefined} name @returns {string | undefined} */
function toFirst(name) {
  return name?.left ? toFirst(name.left) : name?.name;
}

/** Names that are in scope only inside a node. @param {Node} node @returns {string[]} */
function listBound(node) {
  const own = node.typeParameters?.params?.map((/** @type {Node} */ param) => param.name?.name ?? param.name) ?? [];
  if (node.type === 'TSMappedType') own.push(node.key?.name ?? node.typeParameter?.name?.name);
  // A type inferred with `infer` is in scope only in the true branch; the name occurs nowhere else.
  if (node.type === 'TSConditionalType') own.push(...listInferred(node.extendsType));
  return own;
}

/** @param {unknown} node @returns {string[]} */
function listInferred(node) {
  if (Array.isArray(node)) return node.flatMap(listInferred);
  if (node === null || typeof node !== 'object') return [];
  const { type, typeParameter, ...parts } = /** @type {Node} */ (node);
  if (type === 'TSInferType') return [typeParameter.name?.name ?? typeParameter.name];
  return Object.values(parts).flatMap(listInferred);
}
