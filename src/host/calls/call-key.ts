/** Idempotency keys of calls: there is one call per key. */
import { TaskError } from '../../errors.ts';
import { toFingerprint } from '../../task/json.ts';
import type { CallRecord } from '../ledger/contract.ts';

type Asked = Pick<CallRecord, 'server' | 'tool' | 'args'>;

/** Whether the existing call with a key has the same server, tool and arguments as the wanted call. */
export function isSameCall(a: Asked, b: Asked): boolean {
  return a.server === b.server && a.tool === b.tool && toFingerprint(a.args) === toFingerprint(b.args);
}

/** The error does not show the arguments: they may contain secrets. */
export function keyConflictError(taken: CallRecord, wanted: CallRecord): TaskError {
  const { callId, server, tool } = taken;
  const isOther = server !== wanted.server || tool !== wanted.tool;
  const what = isOther ? `tool ${tool} of server ${server}` : 'other arguments';
  const message = `the key ${JSON.stringify(wanted.key)} is that of call ${callId}, with ${what}; expected another key`;
  return new TaskError('IDEMPOTENCY_CONFLICT', message);
}
