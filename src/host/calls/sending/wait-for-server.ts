/** Waiting of a call for its server before it is sent again. */
import { isLineFailure } from '../../../dialects/host-port.ts';
import { isTaskError } from '../../../errors.ts';
import type { Reachability } from '../../servers/reachability.ts';
import type { ReconnectingServer } from '../../servers/reconnecting-server.ts';
import { isTransient } from '../../servers/transient-failure.ts';
import type { SendMark } from './send-mark.ts';

export interface WaitingCall {
  readonly server: ReconnectingServer;
  readonly signal: AbortSignal;
  /** Tracks whether the server is unreachable. */
  readonly reachability: Reachability;
  /** Tracks whether the call has been sent. */
  readonly mark: SendMark;
}

/** Waits until the next attempt to send a call that did not arrive; throws the error when retrying does not help. */
export async function waitForServer(call: WaitingCall, error: unknown): Promise<void> {
  call.signal.throwIfAborted();
  if (!isTransient(error)) throw error;
  await call.mark.recordWaiting();
  await pauseBeforeRetry(call, error);
}

/** Like `waitForServer`, for a call that may have arrived: its work may exist, so no error stops the retries. */
export async function pauseBeforeRetry({ server, signal, reachability }: WaitingCall, error: unknown): Promise<void> {
  reachability.failed(error);
  await server.pause(signal);
  signal.throwIfAborted();
}

/** Handles a failed request. Returns `true` when the call may have arrived and must not be sent as if it were new. */
export async function handleSendFailure(call: WaitingCall, error: unknown, isRepeat: boolean): Promise<boolean> {
  if (!isLineFailure(error)) throw error;
  if (!isRepeat && isTaskError(error, 'CONNECT_FAILED')) {
    await waitForServer(call, error);
    return false;
  }
  if (isRepeat) await pauseBeforeRetry(call, error);
  return true;
}
