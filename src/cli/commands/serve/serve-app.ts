import { once } from 'node:events';
import { TaskError } from '../../../errors.ts';
import type { ListeningValues } from '../../command-line/shared-options.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What a server of an app can do. */
interface App {
  serveStdio(): Promise<void>;
  listen(options: AppListening): Promise<{ url: string; port: number; token?: string; close(): Promise<void> }>;
}

/** Where an app is served over HTTP, and who may use it: those with its token, or everybody on the machine. */
export type AppListening = { readonly port: number } & ({ readonly token: 'random' } | { readonly unprotected: true });

/** What a command line asks for; nothing for stdin and stdout. */
export function toListening({ http: port, 'no-auth': noAuth = false }: ListeningValues): AppListening | undefined {
  if (port === undefined) {
    if (noAuth) throw new TaskError('USAGE', '--no-auth is about HTTP; expected together with --http PORT');
    return undefined;
  }
  return noAuth ? { port, unprotected: true } : { port, token: 'random' };
}

/** Serves until the client hangs up (stdio) or a signal comes (HTTP). Tasks under way go on in their worker. */
export async function serveApp(server: App, listening: AppListening | undefined, terminal: Terminal): Promise<number> {
  if (listening === undefined) {
    await server.serveStdio();
    return 0;
  }
  const { url, port, token, close } = await server.listen(listening);
  // Listened for before anybody can know that there is something to stop.
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  if (terminal.json) terminal.printJson({ url, port, ...(token !== undefined && { token }) });
  else {
    terminal.print(url);
    // The line that a client has to send, ready to be copied. Never a part of the URL, which ends up in logs.
    if (token !== undefined) terminal.print(`Authorization: Bearer ${token}`);
  }
  await stopped;
  await close();
  return 0;
}
