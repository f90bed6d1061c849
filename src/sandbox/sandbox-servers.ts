/** The servers of a sandbox: those that could be reached with their tools, the others with the reason. */
import { TaskError } from '../errors.ts';
import type { UpstreamState } from '../gateway/index.ts';
import type { Host, HostTool, PluginSpec, ServerSpec } from '../host/index.ts';
import { toTaskError } from '../index.ts';

export interface SandboxServer {
  readonly name: string;
  readonly state: 'starting' | 'ready' | 'failed';
  /** Whether its calls are tasks of the store that the page shows. */
  readonly isGateway: boolean;
  readonly tools: readonly HostTool[];
  /** The states of the upstreams behind it. */
  readonly upstreams?: readonly UpstreamState[];
  /** Why it failed, including its stderr output. */
  readonly problem?: string;
}

export interface SandboxServersOptions {
  onChange(): void;
  /** Returns the servers behind the gateway. */
  upstreams(): readonly UpstreamState[];
}

export class SandboxServers {
  readonly #servers = new Map<string, SandboxServer>();
  readonly #options: SandboxServersOptions;
  #host: Host | undefined;

  constructor(options: SandboxServersOptions) {
    this.#options = options;
  }

  list(): readonly SandboxServer[] {
    const upstreams = this.#options.upstreams();
    return [...this.#servers.values()].map((server) => (server.isGateway ? { ...server, upstreams } : server));
  }

  findTool(server: string, tool: string): HostTool | undefined {
    return this.#servers.get(server)?.tools.find(({ name }) => name === tool);
  }

  expect(name: string, isGateway: boolean): void {
    this.#set({ name, state: 'starting', isGateway, tools: [] });
  }

  /** Throws the problem of a server that cannot be called. */
  check(name: string): void {
    const server = this.#servers.get(name);
    if (!server) {
      const names = [...this.#servers.keys()].join(', ');
      throw new TaskError('SERVER_NOT_FOUND', `there is no server ${JSON.stringify(name)}; expected ${names}`);
    }
    if (server.state === 'failed') throw new TaskError('CONNECT_FAILED', server.problem ?? `${name} has failed`);
    if (server.state === 'starting') throw new TaskError('CONNECT_FAILED', `${name} is still starting`);
  }

  async connect(host: Host, name: string, toSpec: () => Promise<ServerSpec | PluginSpec>): Promise<void> {
    this.#host = host;
    const { isGateway } = this.#servers.get(name) ?? { isGateway: false };
    try {
      await host.connect(name, await toSpec());
      this.#set({ name, state: 'ready', isGateway, tools: await host.tools(name) });
    } catch (error) {
      this.#set({ name, state: 'failed', isGateway, tools: [], problem: toProblem(error) });
    }
  }

  /** Reads the gateway's tools again, because they may have changed. */
  async refresh(): Promise<void> {
    const server = this.list().find(({ isGateway, state }) => isGateway && state === 'ready');
    if (server && this.#host) this.#set({ ...server, tools: await this.#host.tools(server.name) });
    else this.#options.onChange();
  }

  #set(server: SandboxServer): void {
    this.#servers.set(server.name, server);
    this.#options.onChange();
  }
}

function toProblem(error: unknown): string {
  const { message, code } = toTaskError(error);
  return code === 'INTERNAL' && error instanceof Error ? error.message : message;
}
