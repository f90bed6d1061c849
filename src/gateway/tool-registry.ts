/** Keeps the tools of the gateway's server in sync with those of all upstreams. */
import { watch } from 'node:fs';
import type { ServerInfo } from '../host/index.ts';
import { type HoldfastServer, isTaskError, isWorker, type ServerTool } from '../index.ts';
import { warn } from '../stderr.ts';
import type { GatewaySettings } from './gateway-options.ts';
import type { Mirror } from './mirror/mirror.ts';
import { assignNames, findShownName, type NameTable } from './names.ts';
import { openPersistedNames, type PersistedNameSet } from './persisted-name-set.ts';
import { SNAPSHOT_FILE, type SnapshotFile, type UpstreamSnapshot } from './snapshot.ts';
import { toServerTool } from './upstream-tool.ts';
import { unreachableError } from './upstreams/unreachable.ts';
import { policyOf } from './upstreams/upstream.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

export interface ToolRegistryOptions {
  readonly settings: GatewaySettings;
  readonly upstreams: Upstreams;
  readonly mirror: Mirror;
  readonly snapshot: SnapshotFile;
  /** Whether the gateway has one client, which receives every notification of the upstreams. */
  readonly hasOneClient: boolean;
  /** Called when upstreams connect, disappear or change their tools. */
  onChange(): void;
  report(error: unknown): void;
}

/** The current state of one upstream of a gateway. */
export interface UpstreamState {
  readonly name: string;
  /** `away`: it could not be reached, and is retried. */
  readonly state: 'starting' | 'ready' | 'away';
  /** Its tools, by their names in the gateway. */
  readonly tools: readonly string[];
  /** Why it is away. */
  readonly problem?: string;
}

// A server that exits each time it is asked for its tools will exit again: stop after this many tries.
const MAX_FETCH_ATTEMPTS = 3;

export class ToolRegistry {
  readonly #options: ToolRegistryOptions;
  /** The registered tools by shown name, serialized: an unchanged tool is not registered again. */
  readonly #registered = new Map<string, string>();
  readonly #slow: PersistedNameSet;
  /** Why each unreachable upstream is away, while it is retried. */
  readonly #problems = new Map<string, string>();
  server: HoldfastServer | undefined;

  constructor(options: ToolRegistryOptions) {
    this.#options = options;
    this.#slow = openPersistedNames(options.snapshot, 'slow', options.report);
  }

  info(upstream: string): ServerInfo | undefined {
    return this.#snapshotOf(upstream)?.info;
  }

  /** The server info of all upstreams seen so far, possibly from an earlier run. */
  infos(): Record<string, ServerInfo> {
    const { upstreams } = this.#options;
    const known = upstreams.names.flatMap((name) => {
      const info = this.info(name);
      return info ? [[name, info] as const] : [];
    });
    return Object.fromEntries(known);
  }

  /** Returns the state of each upstream, with its tools by their shown names. */
  list(): readonly UpstreamState[] {
    const { upstreams, snapshot } = this.#options;
    const shown = Object.entries(snapshot.now.tools);
    return upstreams.names.map((name) => {
      const problem = this.#problems.get(name);
      const has = new Set((this.#snapshotOf(name)?.tools ?? []).map((tool) => tool.name));
      const tools = shown.filter(([, item]) => item.upstream === name && has.has(item.name)).map(([tool]) => tool);
      const state = problem !== undefined ? 'away' : upstreams.isConnected(name) ? 'ready' : 'starting';
      return { name, state, tools, ...(problem !== undefined && { problem }) };
    });
  }

  /**
   * Reads what the upstreams offer. A single upstream must be reachable, else the gateway fails to start; of several, unreachable
   * ones are retried while the others are served.
   */
  async load(): Promise<void> {
    const { names } = this.#options.upstreams;
    if (isWorker) return;
    const [only] = names;
    if (only !== undefined && names.length === 1) return this.#saveSnapshots({ [only]: await this.#connectOnly(only) });
    const snapshots: Record<string, UpstreamSnapshot> = {};
    let isLoading = true;
    const connecting = names.map(async (name) => {
      try {
        const snapshot = await this.#connect(name);
        if (isLoading) snapshots[name] = snapshot;
        else this.#saveSnapshots({ [name]: snapshot });
      } catch (error) {
        this.#retryConnect(name, error);
      }
    });
    await withoutStragglers(Promise.all(connecting));
    isLoading = false;
    // Names are assigned together, so that connection order does not decide which upstream gets a name.
    this.#saveSnapshots(snapshots);
  }

  /** Registers the tools on the server, and keeps them up to date from now on. */
  serve(server: HoldfastServer): void {
    this.server = server;
    this.#registerTools();
    if (isWorker) this.#watchSnapshot();
  }

  async #connectOnly(name: string): Promise<UpstreamSnapshot> {
    try {
      return await this.#connect(name);
    } catch (cause) {
      const spec = this.#options.settings.upstreams[name]?.spec;
      throw unreachableError(name, { cause, ...(spec && { spec }) });
    }
  }

  /** Connects an upstream, and subscribes to its notifications. */
  async #connect(name: string): Promise<UpstreamSnapshot> {
    const { upstreams, mirror, report } = this.#options;
    await upstreams.connect(name);
    await upstreams.onNotification(name, (notification) => {
      if (notification.method === 'notifications/tools/list_changed') this.#refetchTools(name).catch(report);
      else mirror.relayNotification(notification);
    });
    await upstreams.onReconnected(name, () => void this.#restore(name).catch(report));
    const snapshot = await this.#fetchTools(name);
    if (snapshot.info.era === 'modern') mirror.subscribeToChanges(name);
    return snapshot;
  }

  #retryConnect(name: string, error: unknown): void {
    const { upstreams, report } = this.#options;
    const spec = this.#options.settings.upstreams[name]?.spec;
    const { message } = unreachableError(name, { cause: error, ...(spec && { spec }) });
    this.#problems.set(name, message);
    this.#options.onChange();
    warn(`${message}; it is tried again, and the other upstreams are served meanwhile`);
    upstreams
      .connectWithRetry(name)
      .then(async () => {
        const snapshot = await this.#connect(name);
        this.#problems.delete(name);
        this.#saveSnapshots({ [name]: snapshot });
      })
      .catch((cause: unknown) => (isTaskError(cause, 'HOST_CLOSED') ? undefined : report(cause)));
  }

  /** A restarted upstream has lost its subscriptions and log level, and may have other tools. */
  async #restore(name: string): Promise<void> {
    await this.#refetchTools(name);
    await this.#options.mirror.restore(name);
  }

  async #refetchTools(name: string): Promise<void> {
    this.#saveSnapshots({ [name]: await this.#fetchTools(name) });
  }

  /** Asks again if the server exited meanwhile, possibly because of another process's call: the next request restarts it. */
  async #fetchTools(name: string): Promise<UpstreamSnapshot> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#fetchToolsOnce(name);
      } catch (error) {
        if (attempt === MAX_FETCH_ATTEMPTS || !isTaskError(error, 'LINE_LOST')) throw error;
      }
    }
  }

  async #fetchToolsOnce(name: string): Promise<UpstreamSnapshot> {
    const { upstreams } = this.#options;
    const info = await upstreams.info(name);
    return { info, tools: info.capabilities.tools === undefined ? [] : await upstreams.tools(name) };
  }

  /** Stores what was seen, assigns names to new tools, and updates the server. */
  #saveSnapshots(snapshots: Readonly<Record<string, UpstreamSnapshot>>): void {
    const { upstreams, snapshot, report } = this.#options;
    const before = snapshot.refresh();
    const now = { ...before.upstreams, ...snapshots };
    const lists = upstreams.names.map((upstream) => ({
      upstream,
      names: (now[upstream]?.tools ?? []).map((tool) => tool.name),
    }));
    const named = assignNames(keepOnly(before.tools, upstreams.names), lists, isCompanion);
    try {
      snapshot.write({ ...before, upstreams: now, tools: named });
    } catch (error) {
      // A failed write is not fatal: this process still has the data in memory.
      report(error);
    }
    this.#registerTools();
    this.#options.onChange();
  }

  /** Updates the server's tools to the current snapshot; unchanged tools stay registered. */
  #registerTools(): void {
    const { server } = this;
    if (!server) return;
    const now = this.#toRegistered();
    for (const name of this.#registered.keys()) {
      if (this.#registered.get(name) !== now.get(name)?.text) server.removeTool(name);
    }
    for (const [name, { text, tool }] of now) if (this.#registered.get(name) !== text) this.#add(server, name, tool());
    this.#registered.clear();
    for (const [name, { text }] of now) this.#registered.set(name, text);
  }

  /** An invalid tool of one upstream must not prevent the others from being registered. */
  #add(server: HoldfastServer, name: string, tool: ServerTool): void {
    try {
      server.tool(name, tool);
    } catch (error) {
      this.#options.report(error);
    }
  }

  #toRegistered(): Map<string, { readonly text: string; tool(): ServerTool }> {
    const { settings, upstreams, mirror, snapshot, hasOneClient } = this.#options;
    const now = new Map<string, { readonly text: string; tool(): ServerTool }>();
    for (const upstream of upstreams.names) {
      const options = settings.upstreams[upstream];
      const { tools = [], info } = this.#snapshotOf(upstream) ?? {};
      for (const tool of tools) {
        const name = findShownName(snapshot.now.tools, { upstream, name: tool.name });
        if (name === undefined || !options) continue;
        const make = () =>
          toServerTool(
            { upstreams, mirror, slow: this.#slow },
            { upstream, tool, era: info?.era ?? 'legacy', isHeard: hasOneClient && 'command' in options.spec },
            policyOf(options, tool),
          );
        now.set(name, { text: JSON.stringify([upstream, tool]), tool: make });
      }
    }
    return now;
  }

  #snapshotOf(upstream: string): UpstreamSnapshot | undefined {
    return this.#options.snapshot.now.upstreams[upstream];
  }

  /** Watches the snapshot file, from which a worker learns of new tools. */
  #watchSnapshot(): void {
    const { snapshot, report } = this.#options;
    const { directory } = snapshot;
    if (directory === undefined) return;
    try {
      const watcher = watch(directory, (_, file) => {
        if (file !== SNAPSHOT_FILE) return;
        snapshot.refresh();
        this.#registerTools();
      });
      watcher.on('error', report);
      watcher.unref();
    } catch (error) {
      report(error);
    }
  }
}

/** After this time, an upstream that is slow to start no longer delays the others. */
const STRAGGLER_MS = 5000;

async function withoutStragglers(connecting: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STRAGGLER_MS);
  });
  await Promise.race([connecting, late]);
  clearTimeout(timer);
}

/** Whether a name is that of a companion tool, which the server adds itself. */
function isCompanion(name: string): boolean {
  return /(^|_)task_(wait|list|cancel|answer)$/.test(name);
}

/** Frees the names of upstreams that are no longer configured. */
function keepOnly(table: NameTable, upstreams: readonly string[]): NameTable {
  return Object.fromEntries(Object.entries(table).filter(([, { upstream }]) => upstreams.includes(upstream)));
}
