import type { Call, EndedServer, Host, StoppedCall } from '../../host/index.ts';

export interface StopOptions {
  readonly host: Pick<Host, 'endServer'>;
  readonly upstream: string;
  /** Whether the upstream's process may be ended when it does not confirm that it has stopped. */
  readonly mayEnd: boolean;
  readonly reason: string;
}

/**
 * Stops an upstream call and returns a text that says how.
 *
 * First sends a cancel in the upstream's own dialect. Most servers ignore it, and even a server that stops need not confirm. A
 * server on stdio that has not confirmed after a while, and runs no other call, is ended together with all that it started.
 */
export async function stopCall(
  call: Pick<Call, 'callId' | 'server' | 'cancel'>,
  { host, upstream, mayEnd, reason }: StopOptions,
): Promise<string> {
  const stopped = await call.cancel(reason);
  if (stopped === 'none') return `upstream ${upstream} had nothing to stop`;
  if (stopped === 'confirmed') return `upstream ${upstream} has stopped it`;
  const told = UNCONFIRMED[stopped];
  if (!mayEnd) return `upstream ${upstream} ${told}; the work may go on there`;
  return `upstream ${upstream} ${told}; ${ENDED[await host.endServer(call.server, call.callId)]}`;
}

const UNCONFIRMED: Readonly<Record<Exclude<StoppedCall, 'none' | 'confirmed'>, string>> = {
  told: 'was told and did not answer',
  refused: 'did not take the cancel',
};

const ENDED: Readonly<Record<EndedServer, string>> = {
  ended: 'its process served no other call, and was ended',
  busy: 'its process serves other calls and was left alone, so the work may go on there',
  none: 'the work may go on there',
};
