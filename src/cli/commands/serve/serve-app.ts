import { once } from 'node:events';
import { TaskError } from '../../../errors.ts';
import type { ListeningValues } from '../../command-line/shared-options.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The server of an app. */
interface App {
  serveStdio(): Promise<void>;
  listen(options: AppListening): Promise<{ url: string; port: number; token?: string; close(): Promise<void> }>;
}

/** Where an app listens over HTTP, and who may use it: clients with its token, or everybody on this machine. */
export type AppListening = { readonly port: number } & ({ readonly token: 'random' } | { readonly unprotected: true });

/** The listening options of a command line; undefined means stdio. */
export function toListening({ http: port, 'no-auth': noAuth = false }: ListeningValues): AppListening | undefined {
  if (port === undefined) {
    if (noAuth) throw new TaskError('USAGE', '--no-auth is about HTTP; expected together with --http PORT');
    return undefined;
  }
  return noAuth ? { port, unprotected: true } : { port, token: 'random' };
}

/** Serves until the client disconnects (stdio) or a signal arrives (HTTP). Running tasks go on in their worker. */
export async function serveApp(server: App, listening: AppListening | undefined, terminal: Terminal): Promise<number> {
  if (listening === undefined) {
    await server.serveStdio();
    return 0;
  }
  const { url, port, token, close } = await server.listen(listening);
  // Registered before the address is printed: a signal sent right after that must not be missed.
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  if (terminal.json) terminal.printJson({ url, port, ...(token !== undefined && { token }) });
  else {
    terminal.print(url);
    // The header that a client must send, ready to copy. Never a part of the URL, because URLs end up in logs.
    if (token !== undefined) terminal.print(`Authorization: Bearer ${token}`);
  }
  await stopped;
  await close();
  return 0;
}
