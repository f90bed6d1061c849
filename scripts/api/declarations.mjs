// @ts-check
/**
 * Reads the declaration files that the compiler wrote: what each door exports, and where each name is declared.
 *
 * TypeScript 7 has no stable API for programs yet, so the files are read with the parser of oxlint, and names are resolved
 * here. That is enough: declarations name every type they use.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { inRoot, readManifest } from '../root.mjs';

/**
 * A node of the syntax tree.
 *
 * @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node
 */

/**
 * One declared name.
 *
 * @typedef {object} Declaration
 * @property {string} name
 * @property {string} file
 * @property {Node} node without `export` and `declare`
 * @property {string} text of the whole file
 * @property {string | undefined} doc the comment before it
 * @property {boolean} isExported from its own file
 */

/**
 * @typedef {object} Module
 * @property {string} text
 * @property {ReadonlyMap<string, Declaration[]>} declarations several for overloads
 * @property {ReadonlyMap<string, { from: string, name: string }>} names imported or re-exported, by the local name
 * @property {readonly string[]} exported
 * @property {string | undefined} note the comment at its beginning
 * @property {readonly { start: number, end: number, value: string }[]} comments
 */

/**
 * @typedef {object} Door
 * @property {string} path as it is imported, such as `holdfast/host`
 * @property {string} note
 * @property {readonly { name: string, declarations: readonly Declaration[] }[]} exports by name
 */

/** @type {Map<string, Module>} */
const modules = new Map();

/** Reads every door of the package, in the order of the manifest. @returns {Door[]} */
export function readDoors() {
  const { name, exports } = readManifest();
  return Object.entries(exports).flatMap(([path, { types }]) =>
    types ? [readDoor(join(name, path), inRoot(types))] : [],
  );
}

/** @param {string} path @param {string} file @returns {Door} */
export function readDoor(path, file) {
  const { exported, note = '' } = readModule(file);
  const exports = [...exported].sort().map((name) => ({ name, declarations: findDeclarations(file, name) }));
  return { path, note, exports };
}

/**
 * Finds the declarations of a name in a file; empty for names of other packages and of the language.
 * @param {string} file @param {string} name @returns {readonly Declaration[]}
 */
export function findDeclarations(file, name) {
  const { declarations, names } = readModule(file);
  const own = declarations.get(name);
  if (own) return own;
  const passed = names.get(name);
  if (!passed?.from.startsWith('.')) return [];
  return findDeclarations(join(dirname(file), passed.from.replace(/\.ts$/, '.d.ts')), passed.name);
}

/** The doc comment that ends where a node begins. @param {Declaration} declaration @param {Node} node */
export function findDoc({ file }, node) {
  return docBefore(readModule(file), node.start);
}

/** @param {string} file @returns {Module} */
function readModule(file) {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  /** @type {Map<string, Declaration[]>} */
  const declarations = new Map();
  /** @type {Map<string, { from: string, name: string }>} */
  const names = new Map();
  /** @type {string[]} */
  const exported = [];
  const [first] = comments;
  const note =
    first?.value.startsWith('*') && text.slice(0, first.start).trim() === '' ? toText(first.value) : undefined;
  const module = { text, declarations, names, exported, note, comments };
  for (const statement of /** @type {Node[]} */ (/** @type {unknown} */ (program.body))) {
    if (statement.type === 'ImportDeclaration') readImport(statement, names);
    else if (statement.type === 'ExportNamedDeclaration' && !statement.declaration) readPassed(statement, module);
    else readDeclaration(statement, { file, module });
  }
  modules.set(file, module);
  return module;
}

/** @param {Node} statement @param {Map<string, { from: string, name: string }>} names */
function readImport({ specifiers, source }, names) {
  for (const { local, imported } of specifiers) {
    names.set(local.name, { from: source.value, name: imported?.name ?? local.name });
  }
}

/** @param {Node} statement @param {{ names: Map<string, { from: string, name: string }>, exported: string[] }} module */
function readPassed({ specifiers, source }, { names, exported }) {
  for (const { local, exported: outer } of specifiers) {
    exported.push(outer.name);
    if (source) names.set(outer.name, { from: source.value, name: local.name });
  }
}

/**
 * @param {Node} statement
 * @param {{ file: string, module: Module & { declarations: Map<string, Declaration[]>, exported: string[] } }} place
 */
function readDeclaration(statement, { file, module }) {
  const isExported = statement.type === 'ExportNamedDeclaration';
  const node = isExported ? statement.declaration : statement;
  for (const part of node.declarations ?? [node]) {
    const name = part.id?.name;
    if (typeof name !== 'string') continue;
    const doc = docBefore(module, statement.start);
    const found = {
      name,
      file,
      node: part === node ? node : { ...part, kind: node.kind },
      text: module.text,
      doc,
      isExported,
    };
    module.declarations.set(name, [...(module.declarations.get(name) ?? []), found]);
    if (isExported && !module.exported.includes(name)) module.exported.push(name);
  }
}

/** @param {Module} module @param {number} start */
function docBefore({ text, comments }, start) {
  const comment = comments.findLast(({ end }) => end <= start);
  if (!comment?.value.startsWith('*') || text.slice(comment.end, start).trim() !== '') return undefined;
  return toText(comment.value);
}

/** The text of a comment without its stars. @param {string} value */
function toText(value) {
  return value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}
