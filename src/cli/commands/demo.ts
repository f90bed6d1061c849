import { once } from 'node:events';
import { createDemoServer } from '../../apps/demo/demo-server.ts';
import type { OptionValues } from '../options.ts';
import { parseWhole } from '../parse-whole.ts';
import type { Terminal } from '../terminal.ts';

export interface DemoOptions {
  readonly values: OptionValues;
  readonly terminal: Terminal;
  readonly version: string;
}

/** Serves until the client hangs up (stdio) or a signal comes (HTTP). Tasks under way go on in their worker. */
export async function serveDemo({ values, terminal, version }: DemoOptions): Promise<number> {
  const port = values.http === undefined ? undefined : parseWhole(values.http, '--http', { from: 0, to: 65_535 });
  await using server = createDemoServer({ version });
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
