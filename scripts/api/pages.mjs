// @ts-check
/** Generates the API reference as Markdown pages, one per door, from the declarations and their comments. */
import { findDoc } from './declarations.mjs';

/**
 * @typedef {import('./declarations.mjs').Declaration} Declaration
 * @typedef {import('./declarations.mjs').Door} Door
 * @typedef {import('./declarations.mjs').Node} Node
 */

/** Lists exported names without a doc comment. @param {readonly Door[]} doors */
export function findUndocumented(doors) {
  return doors.flatMap(({ path, exports }) =>
    exports.filter(({ declarations }) => !declarations.some(({ doc }) => doc)).map(({ name }) => `${path}: ${name}`),
  );
}

/** Generates every page, by file name. @param {readonly Door[]} doors @returns {Map<string, string>} */
export function toPages(doors) {
  /** @type {Map<Declaration, string>} where a declaration is described: on the page of the first door that exports it */
  const homes = new Map();
  for (const { path, exports } of doors) {
    for (const { declarations } of exports) {
      for (const declaration of declarations) if (!homes.has(declaration)) homes.set(declaration, path);
    }
  }
  const pages = doors.map((door) => /** @type {const} */ ([toFile(door.path), toPage(door, homes)]));
  return new Map([['README.md', toIndex(doors)], ...pages]);
}

/** @param {string} path */
function toFile(path) {
  return `${path.replace(/^holdfast\//, '')}.md`;
}

/** @param {readonly Door[]} doors */
function toIndex(doors) {
  const rows = doors.map(
    ({ path, note, exports }) => `| [\`${path}\`](${toFile(path)}) | ${toLine(note)} | ${exports.length} |`,
  );
  return `${[
    '# API',
    'Generated from the declarations by `npm run api`; a test keeps them in sync. The guides are in [docs](../../README.md#where-to-go).',
    ['| door | what it is for | names |', '| --- | --- | --: |', ...rows].join('\n'),
  ].join('\n\n')}\n`;
}

/** @param {Door} door @param {ReadonlyMap<Declaration, string>} homes */
function toPage({ path, note, exports }, homes) {
  const own = exports.filter(({ declarations: [first] }) => first && homes.get(first) === path);
  const values = own.filter(({ declarations: [first] }) => first && isValue(first));
  const types = own.filter((one) => !values.includes(one));
  const others = exports
    .filter((one) => !own.includes(one))
    .map(({ name, declarations: [first] }) => {
      const home = first && homes.get(first);
      return `[\`${name}\`](${toFile(home ?? path)}#${name.toLowerCase()})`;
    });
  const parts = [`# ${path}`, note];
  if (values.length > 0) parts.push('## Functions and values', ...values.map(toEntry));
  if (types.length > 0) parts.push('## Types', ...types.map(toEntry));
  if (others.length > 0) parts.push('## Also exported here', others.join(', '));
  return `${parts.join('\n\n')}\n`;
}

/** @param {Declaration} declaration */
function isValue({ node }) {
  return ['VariableDeclarator', 'TSDeclareFunction', 'ClassDeclaration'].includes(node.type);
}

/** @param {{ name: string, declarations: readonly Declaration[] }} exported */
function toEntry({ name, declarations }) {
  const said = declarations.flatMap(({ doc }) => (doc ? [toProse(doc)] : []));
  const signatures = declarations.map(toSignature).join('\n');
  const members = declarations.flatMap((declaration) =>
    listMembers(declaration).map((node) => toMember(declaration, node)),
  );
  return [
    `### ${name}`,
    ...said,
    `\`\`\`ts\n${signatures}\n\`\`\``,
    ...(members.length > 0 ? [members.join('\n')] : []),
  ].join('\n\n');
}

/** The signature of a declaration without its members, which are listed separately. @param {Declaration} declaration */
function toSignature(declaration) {
  const { node, text } = declaration;
  // Comments inside a type alias are kept: they describe its members and are shown nowhere else.
  const whole = text.slice(node.start, node.end).replace(/^declare /, '');
  if (node.type === 'VariableDeclarator') return `const ${withoutComments(whole)};`;
  if (!node.body) return whole;
  return withoutComments(text.slice(node.start, node.body.start))
    .replace(/^declare /, '')
    .trim();
}

/** @param {Declaration} declaration @returns {Node[]} */
function listMembers({ node }) {
  /** @type {Node[]} */
  const members = Array.isArray(node.body?.body) ? node.body.body : [];
  return members.filter(({ key, type }) => key?.type !== 'PrivateIdentifier' && type !== 'TSIndexSignature');
}

/** @param {Declaration} declaration @param {Node} node */
function toMember(declaration, node) {
  const { text } = declaration;
  const signature = withoutComments(text.slice(node.start, node.end))
    .replace(/^readonly /, '')
    .replace(/;$/, '');
  const doc = findDoc(declaration, node);
  return `- \`${toLine(signature)}\`${doc ? `: ${toLine(toProse(doc))}` : ''}`;
}

/** @param {string} text */
function withoutComments(text) {
  return text.replace(/\/\*\*[\s\S]*?\*\/\s*/g, '');
}

/** Converts a doc comment to Markdown, with its tags as sentences. @param {string} doc */
function toProse(doc) {
  return doc
    .replace(/\s*@default ([^@]*)/g, (_, value) => ` Default: ${toValue(toLine(value))}`)
    .replace(/\s*@example ([^@]*)/g, (_, value) => ` Example: ${toValue(toLine(value))}`)
    .trim();
}

/** Formats a value as code if it is a literal. @param {string} value */
function toValue(value) {
  const isCode = /^(?:'[^']*'|[\d_.]+|true|false|null|\[.*\]|\{.*\})$/.test(value);
  return isCode ? `\`${value}\`.` : `${value.replace(/\.$/, '')}.`;
}

/** @param {string} text */
function toLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}
