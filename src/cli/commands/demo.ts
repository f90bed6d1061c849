import { createDemoServer } from '../../apps/demo/demo-server.ts';
import type { OptionValues } from '../options.ts';
import { parseListening, serveApp } from '../serve-app.ts';
import { toPromptRoots } from '../state-dir.ts';
import type { Terminal } from '../terminal.ts';

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
