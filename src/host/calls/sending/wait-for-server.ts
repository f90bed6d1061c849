/** A call that has not been sent waits for its server. */
import { isLineFailure } from '../../../dialects/host-port.ts';
import { isTaskError } from '../../../errors.ts';
import type { Absence } from '../../servers/absence.ts';
import { isPassing } from '../../servers/passing-failure.ts';
import type { ReconnectingServer } from '../../servers/reconnecting-server.ts';
import type { SendMark } from './send-mark.ts';

export interface WaitingCall {
  readonly server: ReconnectingServer;
  readonly signal: AbortSignal;
  /** Whether its server is away. */
  readonly absence: Absence;
  /** Whether it has been sent. */
  readonly mark: SendMark;
}

/** Until it is time to try again to send a call that did not arrive; fails when waiting does not help. */
export async function waitForServer(call: WaitingCall, error: unknown): Promise<void> {
  call.signal.throwIfAborted();
  if (!isPassing(error)) throw error;
  await call.mark.waits();
  await pauseFor(call, error);
}

/** The same for one that may have arrived: there may be work to find, so nothing ends the trying. */
export async function pauseFor({ server, signal, absence }: WaitingCall, error: unknown): Promise<void> {
  absence.failed(error);
  await server.pause(signal);
  signal.throwIfAborted();
}

/** What comes after a failure on the way. True when the call may have arrived; it must not be sent as if it were new. */
export async function afterFailure(call: WaitingCall, error: unknown, isRepeat: boolean): Promise<boolean> {
  if (!isLineFailure(error)) throw error;
  if (!isRepeat && isTaskError(error, 'CONNECT_FAILED')) {
    await waitForServer(call, error);
    return false;
  }
  if (isRepeat) await pauseFor(call, error);
  return true;
}
