/** The task behind a held call: a new one, or that of an earlier, equal call whose caller did not get the result. */

import { makeToken } from '../../task/id.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { toValueText } from '../../text/value-text.ts';
import type { CheckedCall, IncomingCall, Joining, ServerPort, ToolView, Written } from '../server-port.ts';
import { KEY_META } from '../shared/idempotency-key.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import type { HeldSubmission } from './held-call.ts';
import { toJoinKeys } from './join-key.ts';

/** The `_meta` key of a call that accepts no earlier result. */
const FRESH_META = 'holdfast/fresh';

/** Writes the task of a call, or joins one that is still available. */
export async function submitHeld(call: CheckedCall, port: ServerPort): Promise<HeldSubmission> {
  const isFresh = readFresh(call);
  const submit = createSubmit(call, port);
  for (;;) {
    const written = await submit();
    const { task, engine, hold } = written;
    const joined = findJoining(call, written);
    if (!joined || joined === 'key' || !hold) return { ...written, ...(joined && { joined }) };
    const isUnwanted = isFresh || (joined === 'ended' && isTooOld(call.tool, task, engine.now()));
    if (!isUnwanted) return { ...written, joined };
    if (joined === 'running') {
      await hold.leave();
      return submit(makeToken());
    }
    // Calls can no longer join it; its id still finds it.
    await hold.close();
  }
}

/** How the call joined its task; undefined when the task is its own, or one that it named by key and that still runs. */
function findJoining({ meta }: IncomingCall, { created, task }: Written): Joining | undefined {
  if (created) return undefined;
  const hasEnded = isTerminal(task.status);
  // A client that gives a key decides itself which calls are the same.
  if (meta[KEY_META] !== undefined) return hasEnded ? 'key' : undefined;
  return hasEnded ? 'ended' : 'running';
}

function createSubmit(call: CheckedCall, port: ServerPort) {
  const keys = call.tool.definition.join === false ? { key: makeToken() } : toJoinKeys(call);
  /** @param idempotencyKey makes it a task of its own, which later, equal calls can join */
  return async (idempotencyKey?: string): Promise<Written> => {
    let isGone = false;
    const stopListening = call.channel.onGone(() => {
      isGone = true;
    });
    const hold = { ...keys, graceMs: port.settings.unattendedMs, isGone: () => isGone };
    const options = { hold, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    return call.submit({ dialect: 'held', options }).finally(stopListening);
  };
}

/** Whether a result is older than the tool's author allows; without a limit, old results are better than none. */
function isTooOld({ definition: { joinMs } }: ToolView, { endedAt = 0 }: Task, now: number): boolean {
  return joinMs !== undefined && now - endedAt >= joinMs;
}

function readFresh({ meta }: IncomingCall): boolean {
  const fresh = meta[FRESH_META];
  if (fresh === undefined || typeof fresh === 'boolean') return fresh === true;
  throw invalidParams(`_meta["${FRESH_META}"] is ${toValueText(fresh)}; expected true or false`);
}
