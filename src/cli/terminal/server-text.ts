/** The readable name of a server in the ledger: the command that was typed, or its name in its config file. */
export function toServerText(server: string): string {
  const [, json] = /^command:(\[.*\])(?:@.*)?$/s.exec(server) ?? [];
  if (json === undefined) return server.replace(/^([^@/:]+)@[/\\].*$/s, '$1');
  try {
    return (JSON.parse(json) as unknown[]).map(String).join(' ');
  } catch {
    return server;
  }
}
