import { createDemoServer } from '../../apps/demo/demo-server.ts';
import type { OptionValues } from '../options.ts';
import { parsePort, serveApp } from '../serve-app.ts';
import type { Terminal } from '../terminal.ts';

export interface DemoOptions {
  readonly values: OptionValues;
  readonly terminal: Terminal;
  readonly version: string;
}

/** Serves the demo. */
export async function serveDemo({ values, terminal, version }: DemoOptions): Promise<number> {
  const port = parsePort(values);
  await using server = createDemoServer({ version });
  return await serveApp(server, port, terminal);
}
