import type { Caller, HeadlessMark } from '../../dialects/server-port.ts';
import { MAX_KNOWN_CLIENTS } from '../../limits.ts';
import { toFingerprint } from '../../task/json.ts';

/**
 * Which clients without connections answer for their user: see `dialects/shared/questions/headless.ts`. One that calls
 * again from the same place is the same.
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
