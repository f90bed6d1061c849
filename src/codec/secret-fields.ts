/** Finds the fields of an answer that the schema of its question marks as secret, at any depth. */
import { isObject } from '../is-object.ts';
import { MAX_SECRET_DEPTH } from '../limits.ts';
import { isSecretField } from './secret-field.ts';
import { type SecretTree, toTree } from './secret-tree.ts';

type Schema = { readonly [keyword: string]: unknown };

/** Returns the secret parts of an answer to a question with this schema. */
export function findSecretFields(schema: unknown, answer: unknown): SecretTree | undefined {
  return find(answer, { name: '', schemas: [schema], root: schema, depth: 0 });
}

interface Looking {
  /** The name of the field that holds the value. */
  readonly name: string;
  /** All schemas that apply to the value. */
  readonly schemas: readonly unknown[];
  readonly root: unknown;
  readonly depth: number;
}

function find(value: unknown, { name, schemas, root, depth }: Looking): SecretTree | undefined {
  const all = spread(schemas, root);
  if (all.some((schema) => isSecretField(name, schema))) return true;
  if (value === null || typeof value !== 'object' || all.length === 0) return undefined;
  if (depth === MAX_SECRET_DEPTH) return true;
  const isList = Array.isArray(value);
  return toTree(value, (member, key) => {
    const below = all.flatMap((schema) => (isList ? listItems(schema, key) : listMembers(schema, key)));
    return find(member, { name: isList ? name : key, schemas: below, root, depth: depth + 1 });
  });
}

const COMBINED = ['allOf', 'anyOf', 'oneOf'];
const CONDITIONAL = ['if', 'then', 'else', 'not'];

/** Returns the schemas with all schemas they refer to or combine. A field that any branch marks as secret is secret. */
function spread(schemas: readonly unknown[], root: unknown): Schema[] {
  const seen = new Set<Schema>();
  const left = [...schemas];
  while (left.length > 0) {
    const schema = left.pop();
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    for (const keyword of COMBINED) if (Array.isArray(schema[keyword])) left.push(...schema[keyword]);
    for (const keyword of CONDITIONAL) left.push(schema[keyword]);
    if (typeof schema.$ref === 'string') left.push(resolve(root, schema.$ref));
  }
  return [...seen];
}

/** Resolves references within the schema itself; there is no other source. */
function resolve(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  let found = root;
  for (const segment of ref.split('/').slice(1)) {
    const name = decode(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function listItems({ items, prefixItems, additionalItems }: Schema, place: string): unknown[] {
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return [tuple[Number(place)], Array.isArray(items) ? additionalItems : items];
}

// A pattern may be slow by design, so patterns are not run: each one counts as matching every member.
function listMembers({ properties, patternProperties, additionalProperties }: Schema, key: string): unknown[] {
  const named = isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : undefined;
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  return [...(named ?? [additionalProperties]), ...patterns];
}
