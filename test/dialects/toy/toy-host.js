// @ts-check
/** The host half of a toy dialect: the answer to a call is a ticket, and the ticket is looked at until the work is done. */

const LOOK_MS = 20;

/** @type {import('holdfast/dialects').HostDialect} */
export const toyHost = {
  name: 'toy',
  dress: () => ({ _meta: { toy: true } }),
  read({ result }) {
    const { ticket } = /** @type {{ ticket?: unknown }} */ (result.toy ?? {});
    return typeof ticket === 'string' ? { dialect: 'toy', ticket } : undefined;
  },
  async follow({ ticket }, port) {
    for (;;) {
      port.signal.throwIfAborted();
      const reply = await port.request('toy/look', { ticket: ticket ?? null }).catch(toNothing);
      if (reply?.kind === 'error') return { kind: 'error', error: reply.error };
      const { done, result } = /** @type {{ done?: boolean, result?: any }} */ (reply?.result ?? {});
      if (done) return { kind: 'result', result, isError: result.isError === true };
      await new Promise((resolve) => port.clock.after(LOOK_MS, () => resolve(undefined)));
    }
  },
  // The dialect has no word for it.
  cancel: async () => false,
};

/** A request that got lost on its way says nothing of the work. @param {unknown} error */
function toNothing(error) {
  const { code } = /** @type {{ code?: unknown }} */ (error);
  if (code !== 'LINE_LOST' && code !== 'CONNECT_FAILED') throw error;
  return undefined;
}
