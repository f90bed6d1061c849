/**
 * A gateway: a server and a host back to back.
 *
 * The server offers what the upstreams offer. A tool call becomes a task, whose work is a call of the host. Workers run the same
 * program again; they read the tools from the snapshot that the serving process wrote last.
 */
import { join } from 'node:path';
import type { HostOptions } from '../host/index.ts';
import {
  createServer,
  type HoldfastServer,
  isTaskError,
  isWorker,
  type Listening,
  type ListenOptions,
  openSqliteStore,
  type ServerOptions,
  type Store,
} from '../index.ts';
import { reportToStderr } from '../stderr.ts';
import { resolveStoreDirectory } from '../store/sqlite/directory.ts';
import { OrphanedCalls } from './calls/orphaned-calls.ts';
import { CALLS_FILE } from './calls-file.ts';
import { toCard } from './card.ts';
import { type ClientHello, readClientHello, rejectHandshake } from './client-hello.ts';
import { type GatewayOptions, type GatewaySettings, parseGatewayOptions } from './gateway-options.ts';
import { Mirror } from './mirror/mirror.ts';
import { Routes } from './mirror/routes.ts';
import { assignNames, findShownName } from './names.ts';
import { openPersistedNames } from './persisted-name-set.ts';
import { SnapshotFile } from './snapshot.ts';
import { ToolRegistry, type UpstreamState } from './tool-registry.ts';
import { Upstreams } from './upstreams/upstreams.ts';

/** Serves the tools of its upstreams unchanged, with durable calls. */
export interface Gateway extends AsyncDisposable {
  /** Serves this process's stdin and stdout; resolves when the client has closed them. Never returns in a worker. */
  serveStdio(): Promise<void>;
  /**
   * Serves HTTP on a port of this machine, for clients with the token; see `HoldfastServer.listen`. Never returns in a worker.
   */
  listen(options: ListenOptions): Promise<Listening>;
  /** Serves one HTTP request; see `HoldfastServer.fetch`. */
  fetch(request: Request): Promise<Response>;
  /** Returns the state of each upstream; empty before the gateway serves. */
  upstreams(): readonly UpstreamState[];
  /** Registers a listener for upstreams that connect, disappear or change their tools; returns a function that removes it. */
  onUpstreams(listener: () => void): () => void;
  /** Stops serving and disconnects from the upstreams. Tasks keep running. */
  close(): Promise<void>;
}

/** Creates a gateway for one server or several; starts nothing until it serves. */
export function createGateway(options: GatewayOptions): Gateway {
  const settings = parseGatewayOptions(options);
  let opened: Promise<OpenGateway> | undefined;
  const states = new UpstreamStates();
  const open = (asked: HostOptions['capabilities'], isOnStdio = false) => {
    opened ??= openGateway(settings, { capabilities: asked, isOnStdio, states });
    return opened;
  };
  const close = async () => (await opened?.catch(() => undefined))?.close();
  return {
    async serveStdio() {
      // The client's capabilities are the ones declared to the upstream, which decide what it may ask.
      const hello = isWorker ? NO_HELLO : await readClientHello();
      try {
        await open(hello.capabilities, true);
      } catch (error) {
        if (isTaskError(error)) await rejectHandshake(hello, error);
        // Nothing reads stdin any more, and a client that keeps it open must not keep the process alive.
        process.stdin.destroy();
        throw error;
      }
      await (await open(hello.capabilities, true)).server.serveStdio();
    },
    listen: async (listening) => (await open(ALL)).server.listen(listening),
    fetch: async (request) => (await open(ALL)).server.fetch(request),
    upstreams: () => states.list(),
    onUpstreams: (listener) => states.onChange(listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const NO_HELLO: ClientHello = { capabilities: undefined, id: undefined };

/** All capabilities that a client may have to answer questions. */
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

/** Gives access to upstream states both before and after the gateway is opened. */
class UpstreamStates {
  readonly #listeners = new Set<() => void>();
  list: () => readonly UpstreamState[] = () => [];

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

interface OpenGateway {
  readonly server: HoldfastServer;
  close(): Promise<void>;
}

interface Downstream {
  readonly capabilities: HostOptions['capabilities'];
  /** Whether the gateway serves stdio: there is exactly one client then, and it receives every notification. */
  readonly isOnStdio: boolean;
  readonly states: UpstreamStates;
}

async function openGateway(
  settings: GatewaySettings,
  { capabilities = ALL, isOnStdio, states }: Downstream,
): Promise<OpenGateway> {
  const { name, upstreams: specs, serving, connectMs } = settings;
  const report = serving.onError ?? reportToStderr;
  // The snapshot and the ledger are in the directory of the store, which is opened while the upstreams start.
  const directory = serving.store ? serving.store.directory : resolveStoreDirectory(name);
  const snapshot = new SnapshotFile(directory);
  const upstreams = new Upstreams({
    upstreams: specs,
    host: toHostOptions(directory, { capabilities, onError: report, connectMs }),
    onQuestion: (question) => mirror.answer(question),
    asking: openPersistedNames(snapshot, 'asking', report),
  });
  const capabilitiesOf = (upstream: string) => tools.info(upstream)?.capabilities ?? {};
  const routes = new Routes({
    upstreams,
    capabilities: capabilitiesOf,
    namePrompts(lists) {
      const prompts = assignNames(snapshot.refresh().prompts, lists);
      snapshot.write({ ...snapshot.now, prompts });
      return {
        find: (shown) => prompts[shown],
        toShown: (item) => findShownName(prompts, item) ?? item.name,
      };
    },
  });
  const mirror = new Mirror({
    upstreams,
    route: (method, params) => routes.route(method, params),
    gather: (method) => routes.gather(method),
    capabilities: capabilitiesOf,
    notifyClients: (method, params, to) => tools.server?.notify(method, params, to),
    report,
  });
  const onChange = () => states.notify();
  const tools = new ToolRegistry({ settings, upstreams, mirror, snapshot, report, onChange, hasOneClient: isOnStdio });
  states.list = () => tools.list();
  let orphans: OrphanedCalls | undefined;
  const loading = tools.load();
  const opening = serving.store ? Promise.resolve(serving.store) : openSqliteStore({ name });
  const release = async () => {
    orphans?.close();
    mirror.close();
    await upstreams.close();
    if (serving.store === undefined) await (await opening.catch(() => undefined))?.close();
  };
  const [loaded, opened] = await Promise.allSettled([loading, opening]);
  if (loaded.status === 'rejected' || opened.status === 'rejected') {
    await release();
    throw loaded.status === 'rejected' ? loaded.reason : (opened as PromiseRejectedResult).reason;
  }
  const store = opened.value;
  const { serverInfo, instructions, capabilities: declared } = toCard(tools.infos());
  const server = createServer({
    ...DEFAULTS,
    ...serving,
    name,
    store,
    version: settings.version,
    ...(serverInfo && { serverInfo }),
    ...(instructions !== undefined && { instructions }),
    capabilities: declared,
    relay: mirror,
  });
  tools.serve(server);
  if (!isWorker) orphans = toOrphans(upstreams, { store, report });
  return {
    server,
    async close() {
      await server.close();
      await release();
    },
  };
}

function toOrphans(upstreams: Upstreams, { store, report }: { store: Store; report(error: unknown): void }) {
  const find = () => upstreams.calls();
  return new OrphanedCalls({ store, report, find, stop: (call) => upstreams.stopOrphaned(call) });
}

const DEFAULTS: Partial<ServerOptions> = {
  // Calls spend most of their time waiting for their upstream.
  concurrency: 256,
  // Leaves time to send a cancel to an upstream, wait for it, and end its process.
  abortGraceMs: 30_000,
  // Never park: an upstream that has asked keeps its work on an open connection, which cannot be dropped and resumed.
  parkMs: Number.POSITIVE_INFINITY,
};

function toHostOptions(directory: string | undefined, options: HostOptions): HostOptions {
  return { ...options, ...(directory !== undefined && { ledger: join(directory, CALLS_FILE) }) };
}
