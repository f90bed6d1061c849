/**
 * Headers of an upstream are passed to the gateway in environment variables: other users can see command lines, but not these.
 */

const PREFIX = 'HOLDFAST_HEADER_';

/** `X-Api-Key` → `HOLDFAST_HEADER_X_API_KEY`; undefined for a name that could not be mapped unambiguously. */
export function headerVariable(name: string): string | undefined {
  return /^[A-Za-z0-9-]{1,100}$/.test(name) ? PREFIX + name.toUpperCase().replaceAll('-', '_') : undefined;
}

/** Returns the headers that an environment defines. */
export function readHeaderVariables(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const found = Object.entries(env).filter(([name]) => name.startsWith(PREFIX) && name.length > PREFIX.length);
  return Object.fromEntries(
    found.map(([name, value = '']) => [name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'), value]),
  );
}
