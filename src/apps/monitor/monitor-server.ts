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
    // Who knows only the bare objects of jobs takes nothing else; everybody else gets a job by asking for one.
    jobs: options.bareJobs ? 'always' : 'asked',
    instructions: 'Keeps sha-256 and priority of files in a database. It reads files and never changes them.',
    // A host that waits in the log of prompts for a tool says so with every call of it.
    asyncTask: { optional: 'asked' },
    ...options,
  });
  addMonitorTools(server, monitor);
  addConfigTools(server, monitor);
  return server;
}
