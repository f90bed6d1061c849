/** The environment variables that a program needs. */
export interface EnvironmentSpec {
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables to pass on; a star at the end matches the rest of a name. */
  readonly passEnv?: readonly string[];
}

/**
 * Returns the variables that a server gets in addition to the SDK's short list: those its spec passes on by name, and those it
 * sets.
 *
 * All others are withheld: a server is trusted with its calls, not with every key in a shell's environment.
 */
export function toChildEnvironment(
  { env = {}, passEnv = [] }: EnvironmentSpec,
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    // An exported shell function is code that a child shell would run.
    if (value === undefined || value.startsWith('()')) continue;
    if (passEnv.some((pattern) => isMeant(pattern, name))) passed[name] = value;
  }
  return { ...passed, ...env };
}

/** Whether a value is a list of variable names, or prefixes followed by a star. */
export function isPassEnv(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && /^(?:[^=*\0]+\*?|\*)$/.test(one));
}

function isMeant(pattern: string, name: string): boolean {
  const [wanted, given] = process.platform === 'win32' ? [pattern.toUpperCase(), name.toUpperCase()] : [pattern, name];
  return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted;
}
