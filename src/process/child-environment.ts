/** What a program is to find in its environment. */
export interface EnvironmentSpec {
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables to pass on; a star at the end stands for the rest of a name. */
  readonly passEnv?: readonly string[];
}

/**
 * The variables that a server gets beside the SDK's short list: what its spec passes on by name, and what it sets.
 *
 * Everything else stays here: a server is trusted with its calls, not with every key that lies in a shell.
 */
export function toChildEnvironment(
  { env = {}, passEnv = [] }: EnvironmentSpec,
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    // A function of a shell is code that a shell below would run.
    if (value === undefined || value.startsWith('()')) continue;
    if (passEnv.some((pattern) => isMeant(pattern, name))) passed[name] = value;
  }
  return { ...passed, ...env };
}

/** A name, or how names begin, with a star behind it. */
export function isPassEnv(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && /^(?:[^=*\0]+\*?|\*)$/.test(one));
}

function isMeant(pattern: string, name: string): boolean {
  const [wanted, given] = process.platform === 'win32' ? [pattern.toUpperCase(), name.toUpperCase()] : [pattern, name];
  return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted;
}
