import { TaskError } from '../../errors.ts';
import type { CallRecord, Ledger } from '../../host/index.ts';
import { isRefOf, SHORTEST_REF, toCandidatesText } from './short-ids.ts';

export const MAX_CALLS = 1_000_000;

/** Finds the one call that `ref` names: by its id, or by a prefix of its id or of the id's random part. */
export async function findCall(ledger: Ledger, ref: string): Promise<CallRecord> {
  const exact = await ledger.get(ref);
  if (exact) return exact;
  const all = await ledger.list({ limit: MAX_CALLS });
  const found = all.filter(({ callId }) => isRefOf(ref, callId));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const ids = found.map(({ callId }) => callId);
  if (ids.length > 0) {
    const message = `${JSON.stringify(ref)} could be the call ${toCandidatesText(ids)}; give more characters`;
    throw new TaskError('AMBIGUOUS_ID', message, { data: { candidates: ids } });
  }
  const expected = `expected an id, or at least ${SHORTEST_REF} characters from its beginning`;
  throw new TaskError(
    'CALL_NOT_FOUND',
    `there is no call ${JSON.stringify(ref)}; ${expected}; holdfast calls list shows them`,
  );
}
