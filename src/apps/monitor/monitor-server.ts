import { createServer, type HoldfastServer, type ServerOptions } from '../../index.ts';
import { addConfigTools } from './config/config-tools.ts';
import { MONITOR_NAME, type Monitor } from './monitor.ts';
import { addMonitorTools } from './monitor-tools.ts';

export interface MonitorServerOptions extends Omit<ServerOptions, 'name'> {
  readonly monitor: Monitor;
}

/** The file monitor as an MCP server. */
export function createMonitorServer({ monitor, ...options }: MonitorServerOptions): HoldfastServer {
  const server = createServer({
    name: MONITOR_NAME,
    title: 'Holdfast file monitor',
    // A plain call of a sync is answered at once; progress and result follow.
    jobs: 'always',
    instructions: 'Keeps sha-256 and priority of files in a database. It reads files and never changes them.',
    // A host that waits in the log of prompts for a tool says so with every call of it.
    asyncTask: { optional: 'asked' },
    ...options,
  });
  addMonitorTools(server, monitor);
  addConfigTools(server, monitor);
  return server;
}
