/**
 * What every program finds in its environment whatever else it is given: the same few variables as from the MCP SDK, whose
 * own list is not asked for because loading the SDK takes longer than starting most servers.
 */
const NAMES =
  process.platform === 'win32'
    ? [
        ...['APPDATA', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PROCESSOR_ARCHITECTURE', 'SYSTEMDRIVE'],
        ...['SYSTEMROOT', 'TEMP', 'USERNAME', 'USERPROFILE', 'PROGRAMFILES'],
      ]
    : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

export function getDefaultEnvironment(from: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const known: Record<string, string> = {};
  for (const name of NAMES) {
    const value = from[name];
    // A function of a shell is code that a shell below would run.
    if (value !== undefined && !value.startsWith('()')) known[name] = value;
  }
  return known;
}
