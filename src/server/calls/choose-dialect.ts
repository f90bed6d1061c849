/**
 * Which dialect answers a call. Decided once: the first that the call or its client asks for, in the order of the table;
 * where none is asked for, the first that answers such calls by default. All of them look at the call, so that whatever
 * it says wrong is refused, whoever would answer it.
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
