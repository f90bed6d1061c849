import type { HostPort } from '../../dialects/host-port.ts';
import type { HostSettings } from '../host-options.ts';
import type { CallHandle } from '../ledger/contract.ts';
import type { ReconnectingServer } from '../servers/reconnecting-server.ts';
import { readSession } from '../transports/http-session.ts';
import { findDriver } from './drivers.ts';

// A server that does not answer must not keep a caller who has had enough.
const CANCEL_MS = 5000;

/** Stops the work behind a handle by the means of its dialect; false when the server did not confirm it. */
export async function cancelWork(
  handle: CallHandle,
  link: ReconnectingServer,
  settings: HostSettings,
): Promise<boolean> {
  const { clock, report } = settings;
  const session = readSession(handle);
  const late = new AbortController();
  const stopTimer = clock.after(CANCEL_MS, () => late.abort(new Error(`server ${link.name} did not answer a cancel`)));
  try {
    const { era, capabilities } = await link.patientConnection(late.signal);
    const port: HostPort = {
      clock,
      signal: late.signal,
      server: { era, capabilities, isStdio: link.isStdio },
      request: (method, params) => link.request(method, params, { signal: late.signal, session }),
      onNotification: (listener) => link.onNotification(listener),
      onConnected: (listener) => link.onConnected(listener),
      update: () => {},
      ask: () => Promise.resolve({ action: 'cancel' }),
    };
    return await findDriver(handle).cancel(handle, port);
  } catch (error) {
    report(error);
    return false;
  } finally {
    stopTimer();
  }
}
