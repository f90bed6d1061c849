import type { CallHandle, HostPort } from '../../dialects/host-port.ts';
import type { HostSettings } from '../host-options.ts';
import type { ReconnectingServer } from '../servers/reconnecting-server.ts';
import { readSession } from '../transports/http-session.ts';

// Timeout of a cancel, so that an unresponsive server does not block the cancelling caller.
const CANCEL_MS = 5000;

/** Cancels the work behind a handle as its dialect defines; `false` when the server did not confirm it. */
export async function cancelWork(
  handle: CallHandle,
  server: ReconnectingServer,
  settings: HostSettings,
): Promise<boolean> {
  const { clock, report, dialects } = settings;
  const session = readSession(handle);
  const late = new AbortController();
  const giveUp = () => late.abort(new Error(`server ${server.name} did not answer a cancel`));
  const stopTimer = clock.after(CANCEL_MS, giveUp);
  try {
    const { era, capabilities } = await server.patientConnection(late.signal);
    const port: HostPort = {
      clock,
      signal: late.signal,
      server: { era, capabilities, isStdio: server.isStdio },
      request: (method, params) => server.request(method, params, { signal: late.signal, session }),
      onNotification: (listener) => server.onNotification(listener),
      onConnected: (listener) => server.onConnected(listener),
      update: () => {},
      ask: () => Promise.resolve({ action: 'cancel' }),
    };
    return await dialects.find(handle).cancel(handle, dialects.withTasks(port));
  } catch (error) {
    report(error);
    return false;
  } finally {
    stopTimer();
  }
}
