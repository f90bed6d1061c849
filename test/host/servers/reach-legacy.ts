/** A fetch that hides the newer era from whoever looks for it, so that a server of both is met in the older one. */
export const fetchLegacy: typeof fetch = async (input, init) => {
  if (!String(init?.body ?? '').includes('server/discover')) return fetch(input, init);
  const { id } = JSON.parse(String(init?.body)) as { id: number };
  return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
};
