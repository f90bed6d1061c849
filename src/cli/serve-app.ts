import { once } from 'node:events';
import type { OptionValues } from './options.ts';
import { parseWhole } from './parse-whole.ts';
import type { Terminal } from './terminal.ts';

/** What a server of an app can do. */
interface App {
  serveStdio(): Promise<void>;
  listen(options: { readonly port: number }): Promise<{ url: string; port: number; close(): Promise<void> }>;
}

/** The port a command line asks for; nothing for stdin and stdout. */
export function parsePort({ http }: OptionValues): number | undefined {
  return http === undefined ? undefined : parseWhole(http, '--http', { from: 0, to: 65_535 });
}

/** Serves until the client hangs up (stdio) or a signal comes (HTTP). Tasks under way go on in their worker. */
export async function serveApp(server: App, port: number | undefined, terminal: Terminal): Promise<number> {
  if (port === undefined) {
    await server.serveStdio();
    return 0;
  }
  const listening = await server.listen({ port });
  if (terminal.json) terminal.printJson({ url: listening.url, port: listening.port });
  else terminal.print(listening.url);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await listening.close();
  return 0;
}
