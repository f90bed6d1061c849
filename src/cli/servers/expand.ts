/**
 * Replaces `${NAME}` and `${NAME:-default}` in a spec with environment variables.
 *
 * They are expanded only when the server is started: neither the trust question nor the ledger shows their values.
 */
export function expand(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replace(
      /\$\{(\w+)(?::-([^}]*))?\}/g,
      (_, name: string, otherwise = '') => process.env[name] ?? otherwise,
    );
  }
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expand(one)]));
}
