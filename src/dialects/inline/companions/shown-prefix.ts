import type { Caller, ServerPort } from '../../server-port.ts';

/** What stands before the names of these tools for this client; nothing for one that tells the tools of servers apart. */
export function toShownPrefix(port: ServerPort, caller: Caller): string {
  const { text, when } = port.settings.companionPrefix;
  if (when === 'always') return text;
  return port.findProfile(caller).prefixesTools === true ? '' : text;
}
