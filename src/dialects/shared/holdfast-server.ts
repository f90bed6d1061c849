import type { JsonObject } from '../host-port.ts';

/** How a server says that it takes a call that comes again for the one it has. */
export const IDEMPOTENCY_META = 'holdfast/idempotencyKey';

/** Whether a server is built on Holdfast: its work can be asked for after any loss. */
export function isHoldfast({ capabilities }: { readonly capabilities: JsonObject }): boolean {
  const { experimental } = capabilities as { experimental?: JsonObject };
  return experimental?.[IDEMPOTENCY_META] !== undefined;
}
