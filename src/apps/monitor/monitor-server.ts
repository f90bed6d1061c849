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
    // With bare jobs the client understands nothing else, so every call is a job; other clients request a job when they want one.
    jobs: options.bareJobs ? 'always' : 'asked',
    instructions: 'Keeps sha-256 and priority of files in a database. It reads files and never changes them.',
    // A host that waits for a tool through the prompt log requests that with each call.
    asyncTask: { optional: 'asked' },
    ...options,
  });
  addMonitorTools(server, monitor);
  addConfigTools(server, monitor);
  return server;
}
