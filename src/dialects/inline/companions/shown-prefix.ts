import type { Caller, ServerPort } from '../../server-port.ts';

/** Returns the companion prefix for this client; empty for a client that tells the tools of servers apart itself. */
export function toShownPrefix(port: ServerPort, caller: Caller): string {
  const { text, when } = port.settings.companionPrefix;
  if (when === 'always') return text;
  return port.findProfile(caller).prefixesTools === true ? '' : text;
}
