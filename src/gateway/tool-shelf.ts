/** Keeps the tools of the gateway's server in sync with those of all upstreams. */
import { watch } from 'node:fs';
import type { ServerInfo } from '../host/index.ts';
import { type HoldfastServer, isTaskError, isWorker, type ServerTool } from '../index.ts';
import { warn } from '../stderr.ts';
import type { GatewaySettings } from './gateway-options.ts';
import type { Mirror } from './mirror/mirror.ts';
import { assignNames, findShownName, type NameTable } from './names.ts';
import { type NotedNames, noteNames } from './noted-names.ts';
import { SNAPSHOT_FILE, type SnapshotFile, type UpstreamSight } from './snapshot.ts';
import { toServerTool } from './upstream-tool.ts';
import { unreachableError } from './upstreams/unreachable.ts';
import { policyOf } from './upstreams/upstream.ts';
import type { Upstreams } from './upstreams/upstreams.ts';

export interface ToolShelfOptions {
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
const MAX_LOOKS = 3;

export class ToolShelf {
  readonly #options: ToolShelfOptions;
  /** The registered tools by shown name, serialized: an unchanged tool is not registered again. */
  readonly #shown = new Map<string, string>();
  readonly #slow: NotedNames;
  /** Why each unreachable upstream is away, while it is retried. */
  readonly #problems = new Map<string, string>();
  server: HoldfastServer | undefined;

  constructor(options: ToolShelfOptions) {
    this.#options = options;
    this.#slow = noteNames(options.snapshot, 'slow', options.report);
  }

  info(upstream: string): ServerInfo | undefined {
    return this.#sight(upstream)?.info;
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
      const has = new Set((this.#sight(name)?.tools ?? []).map((tool) => tool.name));
      const tools = shown.filter(([, item]) => item.upstream === name && has.has(item.name)).map(([tool]) => tool);
      const state = problem !== undefined ? 'away' : upstreams.isConnected(name) ? 'ready' : 'starting';
      return { name, state, tools, ...(problem !== undefined && { problem }) };
    });
  }

  /**
   * Reads what the upstreams offer. A single upstream must be reachable, else the gateway fails to start; of several, unreachable
   * ones are retried while the others are served.
   */
  async fill(): Promise<void> {
    const { names } = this.#options.upstreams;
    if (isWorker) return;
    const [only] = names;
    if (only !== undefined && names.length === 1) return this.#keep({ [only]: await this.#reachOnly(only) });
    const sights: Record<string, UpstreamSight> = {};
    let isFilling = true;
    const looks = names.map(async (name) => {
      try {
        const sight = await this.#reach(name);
        if (isFilling) sights[name] = sight;
        else this.#keep({ [name]: sight });
      } catch (error) {
        this.#keepTrying(name, error);
      }
    });
    await unlessLate(Promise.all(looks));
    isFilling = false;
    // Names are assigned together, so that connection order does not decide which upstream gets a name.
    this.#keep(sights);
  }

  /** Registers the tools on the server, and keeps them up to date from now on. */
  serve(server: HoldfastServer): void {
    this.server = server;
    this.#show();
    if (isWorker) this.#watch();
  }

  async #reachOnly(name: string): Promise<UpstreamSight> {
    try {
      return await this.#reach(name);
    } catch (cause) {
      const spec = this.#options.settings.upstreams[name]?.spec;
      throw unreachableError(name, { cause, ...(spec && { spec }) });
    }
  }

  /** Connects an upstream, and subscribes to its notifications. */
  async #reach(name: string): Promise<UpstreamSight> {
    const { upstreams, mirror, report } = this.#options;
    await upstreams.connect(name);
    await upstreams.onNotification(name, (notification) => {
      if (notification.method === 'notifications/tools/list_changed') this.#lookAgain(name).catch(report);
      else mirror.hear(notification);
    });
    await upstreams.onReconnected(name, () => void this.#restore(name).catch(report));
    const sight = await this.#look(name);
    if (sight.info.era === 'modern') mirror.listenTo(name);
    return sight;
  }

  #keepTrying(name: string, error: unknown): void {
    const { upstreams, report } = this.#options;
    const spec = this.#options.settings.upstreams[name]?.spec;
    const { message } = unreachableError(name, { cause: error, ...(spec && { spec }) });
    this.#problems.set(name, message);
    this.#options.onChange();
    warn(`${message}; it is tried again, and the other upstreams are served meanwhile`);
    upstreams
      .connectPatiently(name)
      .then(async () => {
        const sight = await this.#reach(name);
        this.#problems.delete(name);
        this.#keep({ [name]: sight });
      })
      .catch((cause: unknown) => (isTaskError(cause, 'HOST_CLOSED') ? undefined : report(cause)));
  }

  /** A restarted upstream has lost its subscriptions and log level, and may have other tools. */
  async #restore(name: string): Promise<void> {
    await this.#lookAgain(name);
    await this.#options.mirror.restore(name);
  }

  async #lookAgain(name: string): Promise<void> {
    this.#keep({ [name]: await this.#look(name) });
  }

  /** Asks again if the server exited meanwhile, possibly because of another process's call: the next request restarts it. */
  async #look(name: string): Promise<UpstreamSight> {
    for (let looks = 1; ; looks++) {
      try {
        return await this.#ask(name);
      } catch (error) {
        if (looks === MAX_LOOKS || !isTaskError(error, 'LINE_LOST')) throw error;
      }
    }
  }

  async #ask(name: string): Promise<UpstreamSight> {
    const { upstreams } = this.#options;
    const info = await upstreams.info(name);
    return { info, tools: info.capabilities.tools === undefined ? [] : await upstreams.tools(name) };
  }

  /** Stores what was seen, assigns names to new tools, and updates the server. */
  #keep(sights: Readonly<Record<string, UpstreamSight>>): void {
    const { upstreams, snapshot, report } = this.#options;
    const before = snapshot.refresh();
    const now = { ...before.upstreams, ...sights };
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
    this.#show();
    this.#options.onChange();
  }

  /** Updates the server's tools to the current snapshot; unchanged tools stay registered. */
  #show(): void {
    const { server } = this;
    if (!server) return;
    const now = this.#toShown();
    for (const name of this.#shown.keys()) {
      if (this.#shown.get(name) !== now.get(name)?.text) server.removeTool(name);
    }
    for (const [name, { text, tool }] of now) if (this.#shown.get(name) !== text) this.#add(server, name, tool());
    this.#shown.clear();
    for (const [name, { text }] of now) this.#shown.set(name, text);
  }

  /** An invalid tool of one upstream must not prevent the others from being registered. */
  #add(server: HoldfastServer, name: string, tool: ServerTool): void {
    try {
      server.tool(name, tool);
    } catch (error) {
      this.#options.report(error);
    }
  }

  #toShown(): Map<string, { readonly text: string; tool(): ServerTool }> {
    const { settings, upstreams, mirror, snapshot, hasOneClient } = this.#options;
    const now = new Map<string, { readonly text: string; tool(): ServerTool }>();
    for (const upstream of upstreams.names) {
      const options = settings.upstreams[upstream];
      const { tools = [], info } = this.#sight(upstream) ?? {};
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

  #sight(upstream: string): UpstreamSight | undefined {
    return this.#options.snapshot.now.upstreams[upstream];
  }

  /** Watches the snapshot file, from which a worker learns of new tools. */
  #watch(): void {
    const { snapshot, report } = this.#options;
    const { directory } = snapshot;
    if (directory === undefined) return;
    try {
      const watcher = watch(directory, (_, file) => {
        if (file !== SNAPSHOT_FILE) return;
        snapshot.refresh();
        this.#show();
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

async function unlessLate(looks: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STRAGGLER_MS);
  });
  await Promise.race([looks, late]);
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
