/**
 * The variables that every program gets in any case: the same few as from the MCP SDK. The SDK's own list is not imported,
 * because loading the SDK takes longer than starting most servers.
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
    // An exported shell function is code that a child shell would run.
    if (value !== undefined && !value.startsWith('()')) known[name] = value;
  }
  return known;
}
