/** What must not lie in the log in clear text: a secret's default, and what the user typed for it. */
import type { JsonObject } from '../../host-port.ts';
import { isObject, toKind } from '../wire.ts';

const MASK = '******';

/** The prompt without the defaults of its secret fields. */
export function withoutSecrets(prompt: JsonObject): JsonObject {
  if (toKind(prompt) !== 'kv' || !Array.isArray(prompt.fields)) return prompt;
  const fields = prompt.fields.map((field) => {
    if (!isSecret(field)) return field;
    const { default: _secret, ...rest } = field;
    return rest;
  });
  return { ...prompt, fields };
}

/** The response with a mask for every value of a secret field; for all of them when the prompt is not known. */
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

// Foreign writers say so in several ways; anything but a plain no is a yes.
function isSecret(field: unknown): field is JsonObject {
  return isObject(field) && field.secret !== undefined && field.secret !== false;
}
