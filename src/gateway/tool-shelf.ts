/**
 * The tools of all upstreams, as the gateway's server has them: what comes and goes upstream comes and goes there.
 */
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
  /** Who hears whatever the upstreams tell. */
  readonly hasOneClient: boolean;
  /** Upstreams came or went, or have other tools. */
  onChange(): void;
  report(error: unknown): void;
}

/** One upstream of a gateway, as it is now. */
export interface UpstreamState {
  readonly name: string;
  /** `away`: it could not be reached, and is tried again. */
  readonly state: 'starting' | 'ready' | 'away';
  /** Its tools, by the names under which the gateway has them. */
  readonly tools: readonly string[];
  /** Why it is away. */
  readonly problem?: string;
}

// What ends each time it is asked for its tools is not helped by another.
const MAX_LOOKS = 3;

export class ToolShelf {
  readonly #options: ToolShelfOptions;
  /** What is registered, by the shown name, as text: what has not changed stays. */
  readonly #shown = new Map<string, string>();
  readonly #slow: NotedNames;
  /** Why upstreams are away that are tried again. */
  readonly #problems = new Map<string, string>();
  server: HoldfastServer | undefined;

  constructor(options: ToolShelfOptions) {
    this.#options = options;
    this.#slow = noteNames(options.snapshot, 'slow', options.report);
  }

  info(upstream: string): ServerInfo | undefined {
    return this.#sight(upstream)?.info;
  }

  /** What is known of all upstreams, of some perhaps from before. */
  infos(): Record<string, ServerInfo> {
    const { upstreams } = this.#options;
    const known = upstreams.names.flatMap((name) => {
      const info = this.info(name);
      return info ? [[name, info] as const] : [];
    });
    return Object.fromEntries(known);
  }

  /** Each upstream by itself, with its tools as they are shown. */
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
   * Looks what the upstreams have. With one upstream there is no gateway without it; of several, those that cannot be reached
   * are tried again while the others are served.
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
    // Named together: which of them was first must not decide who gets a name.
    this.#keep(sights);
  }

  /** Gives the tools to the server, from now on. */
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

  /** Connects an upstream, and hears what it tells from now on. */
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

  /** An upstream that was started anew knows nothing of what was asked of it, and may have other tools. */
  async #restore(name: string): Promise<void> {
    await this.#lookAgain(name);
    await this.#options.mirror.restore(name);
  }

  async #lookAgain(name: string): Promise<void> {
    this.#keep({ [name]: await this.#look(name) });
  }

  /** A server that ended meanwhile, perhaps for the call of somebody else, is started again by the next who asks. */
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

  /** Keeps what was seen, gives names to what is new, and shows it. */
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
      // What cannot be kept is still known here.
      report(error);
    }
    this.#show();
    this.#options.onChange();
  }

  /** Brings the server's tools to what is known now; what has not changed stays. */
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

  /** What one upstream says of one tool must not cost the others theirs. */
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

  /** A worker hears of new tools by what the serving process writes. */
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

/** One that takes long to start keeps nobody from the others. */
const STRAGGLER_MS = 5000;

async function unlessLate(looks: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STRAGGLER_MS);
  });
  await Promise.race([looks, late]);
  clearTimeout(timer);
}

/** Names of the tools that the server adds itself. */
function isCompanion(name: string): boolean {
  return /(^|_)task_(wait|list|cancel|answer)$/.test(name);
}

/** The names of upstreams that are not there any more are free again. */
function keepOnly(table: NameTable, upstreams: readonly string[]): NameTable {
  return Object.fromEntries(Object.entries(table).filter(([, { upstream }]) => upstreams.includes(upstream)));
}
