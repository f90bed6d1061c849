/**
 * `${NAME}` and `${NAME:-otherwise}` in a spec stand for variables of the environment.
 *
 * They are put in when the server is started and never before: neither the question whether a file is trusted nor the
 * ledger shows what they hold.
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
