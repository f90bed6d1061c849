/** Keeps out of the log what must not be there in clear text: a secret's default, and what the user typed for it. */
import type { JsonObject } from '../../host-port.ts';
import { isObject, toKind } from '../wire.ts';

const MASK = '******';

/** Returns the prompt without the defaults of its secret fields. */
export function withoutSecrets(prompt: JsonObject): JsonObject {
  if (toKind(prompt) !== 'kv' || !Array.isArray(prompt.fields)) return prompt;
  const fields = prompt.fields.map((field) => {
    if (!isSecret(field)) return field;
    const { default: _secret, ...rest } = field;
    return rest;
  });
  return { ...prompt, fields };
}

/** Returns the response with the value of every secret field masked; with all values masked when the prompt is not known. */
export function maskSecrets(response: JsonObject, prompt: JsonObject | undefined): JsonObject {
  const { values } = response;
  if (!isObject(values)) return response;
  const isOpen = (key: string) => prompt !== undefined && !findSecretKeys(prompt).has(key);
  const masked = Object.entries(values).map(([key, value]) => [key, isOpen(key) ? value : MASK]);
  return { ...response, values: Object.fromEntries(masked) };
}

function findSecretKeys({ fields }: JsonObject): ReadonlySet<unknown> {
  const all = Array.isArray(fields) ? fields : [];
  return new Set(all.filter(isSecret).map(({ key }) => key));
}

// Foreign writers mark secrets in several ways; any value except `false` counts.
function isSecret(field: unknown): field is JsonObject {
  return isObject(field) && field.secret !== undefined && field.secret !== false;
}
