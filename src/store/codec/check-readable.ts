import { isEncoded } from '../../codec/sealer.ts';
import type { Store } from '../contract.ts';
import { unwrapStore } from './with-codec.ts';

/** How many tasks are read to check that the keys are the right ones. */
const LOOKED_AT = 5;

/**
 * Rejects a store whose newest payloads cannot be decoded here, before anything is served or run: its keys are missing or
 * wrong. One damaged payload among readable ones is no reason to reject it.
 */
export async function checkReadable(store: Store): Promise<void> {
  let readable = 0;
  let failure: unknown;
  for (const { taskId, args } of (await unwrapStore(store).tasks.list({ limit: LOOKED_AT })).tasks) {
    try {
      await store.tasks.get({ taskId });
      if (isEncoded(args)) readable += 1;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined && readable === 0) throw failure;
}
