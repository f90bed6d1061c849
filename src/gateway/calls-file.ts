/** The ledger of a gateway's host, beside its store. */
export const CALLS_FILE = 'calls.db';
