import { createDemoServer } from '../../apps/demo/demo-server.ts';
import type { OptionValues } from '../command-line/options.ts';
import { parseListening, serveApp } from '../serve-app.ts';
import { toPromptRoots } from '../stores/state-dir.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface DemoOptions {
  readonly values: OptionValues;
  readonly terminal: Terminal;
  readonly version: string;
}

/** Serves the demo. */
export async function serveDemo({ values, terminal, version }: DemoOptions): Promise<number> {
  const listening = parseListening(values);
  await using server = createDemoServer({ version, ...toPromptRoots(values) });
  return await serveApp(server, listening, terminal);
}
