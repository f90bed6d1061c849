/** What a server says of itself in a handshake, whichever module answers it. */
import type { Era } from '../dialects/server-port.ts';
import { KEY_META } from '../dialects/shared/idempotency-key.ts';
import type { ServerSettings } from './server-options.ts';

const COMMON = { tools: { listChanged: false }, logging: {}, experimental: { [KEY_META]: {} } };

export function toServerInfo({ name, version, title, serverInfo }: ServerSettings) {
  return serverInfo ?? { name, version, ...(title !== undefined && { title }) };
}

/** Returns the declared capabilities: common ones, the server's own, and those of its dialects. */
export function toCapabilities({ dialects, capabilities: own }: ServerSettings, era: Era) {
  const declared: Record<string, object> = { ...COMMON };
  for (const more of [own, ...dialects.map(({ capabilities }) => capabilities?.[era])]) {
    for (const [name, value] of Object.entries(more ?? {})) declared[name] = { ...declared[name], ...value };
  }
  return declared;
}
