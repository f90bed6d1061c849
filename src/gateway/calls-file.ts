/** File name of the ledger of a gateway's host, beside the gateway's store. */
export const CALLS_FILE = 'calls.db';
