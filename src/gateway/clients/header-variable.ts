/** Headers of an upstream are handed to the gateway as variables: other users cannot see them, as they can a command line. */

const PREFIX = 'HOLDFAST_HEADER_';

/** `X-Api-Key` → `HOLDFAST_HEADER_X_API_KEY`; nothing for a name that could not be told from another. */
export function headerVariable(name: string): string | undefined {
  return /^[A-Za-z0-9-]{1,100}$/.test(name) ? PREFIX + name.toUpperCase().replaceAll('-', '_') : undefined;
}

/** The headers that an environment says. */
export function readHeaderVariables(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const found = Object.entries(env).filter(([name]) => name.startsWith(PREFIX) && name.length > PREFIX.length);
  return Object.fromEntries(
    found.map(([name, value = '']) => [name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'), value]),
  );
}
