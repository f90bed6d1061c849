import type { JsonObject } from '../host-port.ts';

/** The capability by which a server declares that it recognises a repeated call by its idempotency key. */
export const IDEMPOTENCY_META = 'holdfast/idempotencyKey';

/** Whether a server is built on Holdfast: after any loss, its work can be polled. */
export function isHoldfast({ capabilities }: { readonly capabilities: JsonObject }): boolean {
  const { experimental } = capabilities as { experimental?: JsonObject };
  return experimental?.[IDEMPOTENCY_META] !== undefined;
}
