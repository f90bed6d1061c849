/** What a server tells of itself in a handshake; the same whoever answers it. */
import type { Era } from '../dialects/server-port.ts';
import { KEY_META } from '../dialects/shared/idempotency-key.ts';
import type { ServerSettings } from './server-options.ts';

const COMMON = { tools: { listChanged: false }, logging: {}, experimental: { [KEY_META]: {} } };

export function toServerInfo({ name, version, title }: ServerSettings) {
  return { name, version, ...(title !== undefined && { title }) };
}

/** What it declares, and what its dialects do. */
export function toCapabilities({ dialects }: ServerSettings, era: Era) {
  const declared: Record<string, object> = { ...COMMON };
  for (const { capabilities } of dialects) {
    for (const [name, value] of Object.entries(capabilities?.[era] ?? {})) {
      declared[name] = { ...declared[name], ...value };
    }
  }
  return declared;
}
