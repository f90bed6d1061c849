/** The view as the build made it: one self-contained page. */
import { readFile } from 'node:fs/promises';
import { TaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import type { ServerPort } from '../server-port.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';

const PLACE = new URL('../../web/task-view.html', import.meta.url);

/** Read on request: hosts cache it, and most servers are never asked for it. */
export async function readViewFile({ report }: Pick<ServerPort, 'report'>): Promise<string> {
  try {
    return await readFile(PLACE, 'utf8');
  } catch (cause) {
    // The client must not learn the path of the package.
    const missing = `the view is not in the package at ${PLACE.pathname}; build it again, or keep the package unbundled`;
    report(new TaskError('INTERNAL', missing, { cause }));
    const told = 'The view is missing in the package of the server; its owner finds the reason in its log';
    throw new RpcFailure(RPC_CODES.INTERNAL_ERROR, told);
  }
}
