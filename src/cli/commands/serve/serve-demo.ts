import { createDemoServer } from '../../../apps/demo/demo-server.ts';
import { toPromptRoots } from '../../stores/state-dir.ts';
import { readVersion } from '../../version.ts';
import { DEMO_GUIDE } from './demo-guide.ts';
import { serveApp, toListening } from './serve-app.ts';
import type { DemoContext } from './serve-commands.ts';

/** Serves the demo; on a terminal, where no client listens, says what it is. */
export async function serveDemo({ values, terminal }: DemoContext): Promise<number> {
  const listening = toListening(values);
  const { conformance: isConformance = false } = values;
  await using server = createDemoServer({ version: readVersion(), isConformance, ...toPromptRoots(values) });
  if (terminal.keyboard.canAsk && !terminal.json) terminal.remark(DEMO_GUIDE[listening ? 'http' : 'stdio']);
  return await serveApp(server, listening, terminal);
}
