import type { Caller, HeadlessMark } from '../../dialects/server-port.ts';
import { MAX_KNOWN_CLIENTS } from '../../limits.ts';
import { toFingerprint } from '../../task/json.ts';

/**
 * Remembers clients without a connection that answer questions for their user: see
 * `dialects/shared/questions/headless.ts`. The same client from the same address counts as one.
 */
export class HeadlessClients {
  readonly #known = new Set<string>();

  markOf({ principal, address, client }: Caller): HeadlessMark {
    const known = this.#known;
    const key = toFingerprint([principal, address ?? '', client?.name ?? '', client?.version ?? '']);
    return {
      get isHeadless() {
        return known.has(key);
      },
      learnHeadless() {
        const [oldest] = known;
        if (known.size >= MAX_KNOWN_CLIENTS && oldest !== undefined) known.delete(oldest);
        known.add(key);
      },
    };
  }
}
