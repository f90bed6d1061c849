/**
 * Chooses the dialect that answers a call, once: the first in table order that the call or its client asks for, else
 * the first that answers by default. All dialects inspect the call, so that an invalid request is refused whichever of
 * them would answer it.
 */
import type { ServerDialect } from '../../dialects/server-dialect.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ServerCall } from '../tasks/server-call.ts';

export function chooseDialect({ dialects, port }: ServerParts, call: ServerCall): ServerDialect {
  let asked: ServerDialect | undefined;
  let byDefault: ServerDialect | undefined;
  for (const dialect of dialects) {
    const claim = dialect.takes?.(call, port);
    if (claim === 'asked') asked ??= dialect;
    if (claim === 'default') byDefault ??= dialect;
  }
  const chosen = asked ?? byDefault;
  if (chosen) return chosen;
  throw new Error(`no dialect of this server answers ${call.name}`);
}
