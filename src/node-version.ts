/** The oldest Node version with the APIs in use; the same as `engines` in package.json. */
const OLDEST = [20, 19] as const;

/** Why a Node version is too old, as one line; undefined when it is supported. */
export function findNodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `holdfast needs Node ${OLDEST.join('.')} or newer, and this is ${version}; install a newer one from https://nodejs.org`;
}
