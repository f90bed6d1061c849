/**
 * The task behind a call whose line is held: a new one, or that of an earlier call that asked for the same and was not
 * seen to its end.
 */

import { makeToken } from '../../task/id.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import { toValueText } from '../../text/value-text.ts';
import type { CheckedCall, IncomingCall, Joining, ServerPort, ToolView, Written } from '../server-port.ts';
import { KEY_META } from '../shared/idempotency-key.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import type { Held } from './held-call.ts';
import { toJoinKeys } from './join-key.ts';

/** Where a call says that no earlier result will do. */
const FRESH_META = 'holdfast/fresh';

/** Writes the task of a call, or takes one up that may still be had. */
export async function submitHeld(call: CheckedCall, port: ServerPort): Promise<Held> {
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
    // Nobody is to get it any more by calling; its id still finds it.
    await hold.close();
  }
}

/** How the call came to its task; nothing when that is its own, or one that it named and that still runs. */
function findJoining({ meta }: IncomingCall, { created, task }: Written): Joining | undefined {
  if (created) return undefined;
  const hasEnded = isTerminal(task.status);
  // Whoever gives a key says itself what is the same.
  if (meta[KEY_META] !== undefined) return hasEnded ? 'key' : undefined;
  return hasEnded ? 'ended' : 'running';
}

function createSubmit(call: CheckedCall, port: ServerPort) {
  const keys = call.tool.definition.join === false ? { key: makeToken() } : toJoinKeys(call);
  /** @param idempotencyKey makes it a task of its own, which calls that ask for the same can take up later */
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

/** What the author of a tool says of the age of its results; without a word, old ones are better than none. */
function isTooOld({ definition: { joinMs } }: ToolView, { endedAt = 0 }: Task, now: number): boolean {
  return joinMs !== undefined && now - endedAt >= joinMs;
}

function readFresh({ meta }: IncomingCall): boolean {
  const fresh = meta[FRESH_META];
  if (fresh === undefined || typeof fresh === 'boolean') return fresh === true;
  throw invalidParams(`_meta["${FRESH_META}"] is ${toValueText(fresh)}; expected true or false`);
}
