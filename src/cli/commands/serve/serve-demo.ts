import { createDemoServer } from '../../../apps/demo/demo-server.ts';
import { toPromptRoots } from '../../stores/state-dir.ts';
import { readVersion } from '../../version.ts';
import { serveApp, toListening } from './serve-app.ts';
import type { DemoContext } from './serve-commands.ts';

/** Serves the demo. */
export async function serveDemo({ values, terminal }: DemoContext): Promise<number> {
  const listening = toListening(values);
  await using server = createDemoServer({ version: readVersion(), ...toPromptRoots(values) });
  return await serveApp(server, listening, terminal);
}
