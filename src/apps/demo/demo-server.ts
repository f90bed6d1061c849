import { createServer, type HoldfastServer, type ServerOptions } from '../../index.ts';
import { addAskingTools } from './asking-tools.ts';
import { addContentTools } from './content-tools.ts';
import { addPrompts } from './prompts.ts';
import { addResources } from './resources.ts';
import { addTaskTools } from './task-tools.ts';
import { addWorkTools } from './work-tools.ts';

const DEMO_NAME = 'holdfast-demo';

/** A server with something of everything, to try clients on. */
export function createDemoServer(options: Omit<ServerOptions, 'name'>): HoldfastServer {
  const server = createServer({
    name: DEMO_NAME,
    title: 'Holdfast demo',
    instructions: 'Tools that are slow, ask, fail or can be cancelled. None of them changes anything.',
    // A host that waits in the log of prompts for a tool says so with every call of it.
    asyncTask: { optional: 'asked' },
    ...options,
  });
  addContentTools(server);
  addTaskTools(server);
  addAskingTools(server);
  addWorkTools(server);
  return server.mcp(addPrompts).mcp(addResources);
}
