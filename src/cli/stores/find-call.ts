import { TaskError } from '../../errors.ts';
import type { CallRecord, Ledger } from '../../host/index.ts';

export const MAX_CALLS = 1_000_000;

/** Finds the one call that `ref` names: by its id, or by the beginning of its id or of the part behind the time. */
export async function findCall(ledger: Ledger, ref: string): Promise<CallRecord> {
  const exact = await ledger.get(ref);
  if (exact) return exact;
  const all = await ledger.list({ limit: MAX_CALLS });
  const found = all.filter(({ callId }) => callId.startsWith(ref) || callId.startsWith(ref, 10));
  const [only, ...others] = found;
  if (only && others.length === 0 && ref.length >= 4) return only;
  const why =
    others.length > 0 ? `${found.length} calls begin with it; give more characters` : 'holdfast calls list shows them';
  throw new TaskError('CALL_NOT_FOUND', `there is no one call ${JSON.stringify(ref)}; ${why}`);
}
