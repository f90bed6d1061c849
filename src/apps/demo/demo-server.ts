import { createServer, type HoldfastServer, type ServerOptions } from '../../index.ts';
import { addAskingTools } from './asking-tools.ts';
import { addContentTools } from './content-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { addShownTools } from './shown-tools.ts';
import { addTaskTools } from './task-tools.ts';
import { addTroubleTools } from './trouble-tools.ts';

const DEMO_NAME = 'holdfast-demo';

export interface DemoOptions extends Omit<ServerOptions, 'name'> {
  /**
   * Also serves the tools, prompts and resources that the official conformance suite and clients are tested with. @default false
   */
  readonly isConformance?: boolean;
}

/** A server for trying out clients. */
export function createDemoServer({ isConformance = false, ...options }: DemoOptions): HoldfastServer {
  const server = createServer({
    name: DEMO_NAME,
    title: 'Holdfast demo',
    instructions: 'Tools that are slow, ask, fail or can be cancelled. None of them changes anything.',
    // A host that waits for a tool through the prompt log requests that with each call.
    asyncTask: { optional: 'asked' },
    ...options,
  });
  addShownTools(server);
  if (!isConformance) return server;
  addContentTools(server);
  addTaskTools(server);
  addAskingTools(server);
  addTroubleTools(server);
  return server.mcp(addPrompts).mcp(addResources);
}
