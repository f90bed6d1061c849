/** One call for each key. */
import { TaskError } from '../../errors.ts';
import { toFingerprint } from '../../task/json.ts';
import type { CallRecord } from '../ledger/contract.ts';

type Asked = Pick<CallRecord, 'server' | 'tool' | 'args'>;

/** Whether the call that has a key is what is wanted under it. */
export function isSameCall(a: Asked, b: Asked): boolean {
  return a.server === b.server && a.tool === b.tool && toFingerprint(a.args) === toFingerprint(b.args);
}

/** Arguments are not repeated in it: there may be secrets in them. */
export function keyConflictError(taken: CallRecord, wanted: CallRecord): TaskError {
  const { callId, server, tool } = taken;
  const isOther = server !== wanted.server || tool !== wanted.tool;
  const what = isOther ? `tool ${tool} of server ${server}` : 'other arguments';
  const message = `the key ${JSON.stringify(wanted.key)} is that of call ${callId}, with ${what}; expected another key`;
  return new TaskError('IDEMPOTENCY_CONFLICT', message);
}
