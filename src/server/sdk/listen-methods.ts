import type { ServedSubscriptions } from '../../dialects/server-dialect.ts';
import type { ServerParts } from '../server-parts.ts';

export const LISTEN_METHOD = 'subscriptions/listen';
export const ACKNOWLEDGED_METHOD = 'notifications/subscriptions/acknowledged';

/**
 * Returns the dialect part that serves a listen request beside the SDK; undefined when there is none, or it is another
 * request.
 */
export function findSubscriptions({ dialects }: ServerParts, body: unknown): ServedSubscriptions | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: unknown };
  if (method !== LISTEN_METHOD) return undefined;
  return dialects.find(({ subscriptions }) => subscriptions?.takes(params))?.subscriptions;
}

/** Reports to a relay which resources a listen request names. */
export function reportListenRequest({ settings }: ServerParts, body: unknown): void {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: unknown };
  if (!settings.relay?.onListen || method !== LISTEN_METHOD) return;
  const { notifications } = (params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } };
  const uris = notifications?.resourceSubscriptions;
  if (Array.isArray(uris)) settings.relay.onListen(uris.filter((uri) => typeof uri === 'string'));
}
