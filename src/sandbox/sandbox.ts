/**
 * A sandbox: a gateway to servers, a host that calls them, and the dashboard with pages to make calls and inject faults.
 *
 *   page ─▶ host (ledger: page-calls.db) ─▶ gateway (store: tasks.db, worker) ─▶ servers
 *
 * All state is in one directory, so that a new process continues where the last one stopped.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Dashboard, openDashboard } from '../dashboard/dashboard.ts';
import { EventHub } from '../dashboard/events/event-hub.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../gateway/index.ts';
import { createHost, type Host, type Ledger, openSqliteLedger } from '../host/index.ts';
import { createTaskClient, isWorker, openSqliteStore, type Store, withCodec } from '../index.ts';
import { reportToStderr } from '../stderr.ts';
import { CallBook } from './calls/call-book.ts';
import { toCallRoutes } from './calls/call-routes.ts';
import { toListed } from './calls/call-view.ts';
import type { CopySource } from './copy/copy-texts.ts';
import { CutFetch } from './faults/cut-fetch.ts';
import { Faults, toFaultRoutes } from './faults/faults.ts';
import { RoughFetch } from './faults/rough-fetch.ts';
import { GatewayLine } from './gateway-line.ts';
import { AsyncTaskTest } from './prompts/async-task-test.ts';
import { PromptDesk } from './prompts/prompt-desk.ts';
import { toPromptRoutes } from './prompts/prompt-routes.ts';
import { RunAs } from './run-as/run-as.ts';
import { toRunRoutes } from './run-as/run-routes.ts';
import { SandboxServers } from './sandbox-servers.ts';
import { Story, toStoryRoutes } from './story.ts';
import { tapFetch } from './wire/tap-fetch.ts';
import { WireBook } from './wire/wire-book.ts';
import { toWireRoutes } from './wire/wire-routes.ts';

export interface SandboxOptions {
  /** The directory of all state. */
  readonly directory: string;
  /** The gateway's name on the page, and the servers behind it. */
  readonly name: string;
  readonly upstreams: NonNullable<GatewayOptions['upstreams']>;
  /** Whether this is the demo, which can play the story. */
  readonly isDemo: boolean;
  /** How to reach the same servers without the sandbox. */
  readonly reached: Omit<CopySource, 'name'>;
  readonly pluginDir?: string;
  readonly version: string;
  /** The token that gives access to the page. */
  readonly token: string;
}

export interface Sandbox {
  fetch: Dashboard['fetch'];
  /** Resolves after connecting to each server was tried; reachable servers are then ready. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

// Short, so that the recovery from a stopped worker can be watched.
const LEASE_MS = 4000;
const PLUGIN = 'plugin';
const KEEP_MS = 7 * 24 * 3_600_000;

/** Opens a sandbox. Never returns in a worker, which runs the tasks of the gateway instead. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const store = await openSqliteStore({ path: join(options.directory, 'tasks.db') });
  const identity = toIdentity(options.upstreams);
  const gateway = createGateway({
    store,
    identity,
    name: 'sandbox',
    version: options.version,
    upstreams: options.upstreams,
    leaseMs: LEASE_MS,
  });
  const line = new GatewayLine(gateway);
  if (isWorker) await line.open();
  return openRooms(options, { store, gateway, line, identity });
}

interface Parts {
  readonly store: Store;
  readonly gateway: Gateway;
  readonly line: GatewayLine;
  readonly identity: string;
}

async function openRooms(options: SandboxOptions, { store, gateway, line, identity }: Parts): Promise<Sandbox> {
  const { directory, name, isDemo, pluginDir, version } = options;
  const hub = new EventHub();
  const client = createTaskClient(withCodec(store, { codec: undefined, onError: reportToStderr }));
  const way = new CutFetch();
  const rough = new RoughFetch(way.fetch);
  const servers = toServers(hub, gateway);
  const ledger = openSqliteLedger({ path: join(directory, 'page-calls.db') });
  const onChange = (call: ReturnType<CallBook['get']>) => hub.publish({ type: 'call', data: toListed(call) });
  const book = new CallBook({ ledger, onChange, report: reportToStderr });
  const stateDir = join(directory, 'state');
  const onPrompts = () => hub.publish({ type: 'prompts', data: {} });
  const desk = new PromptDesk({ stateDir, pluginDir, onChange: onPrompts });
  const test = new AsyncTaskTest({ book, desk, onChange: onPrompts, report: reportToStderr });
  const faults = new Faults({ client, identity, way, rough, store, desk, leaseMs: LEASE_MS });
  const onStory = (state: Story['state']) => hub.publish({ type: 'story', data: state });
  const story = new Story({ book, client, faults, server: name, onChange: onStory });
  const findSchema = (tool: string) => servers.findTool(name, tool)?.inputSchema;
  const wire = new WireBook({ findSchema, findCall: (taskId) => book.findByTask(taskId) });
  const fetch = tapFetch(rough.fetch, wire.hear);
  const runs = new RunAs({
    version,
    toSpec() {
      servers.check(name);
      return line.toSpec(fetch);
    },
    findSchema,
    onChange: (runId) => hub.publish({ type: 'run', data: { runId } }),
    report: reportToStderr,
  });
  const dashboard = openDashboard(
    client,
    { token: options.token, links: join(directory, 'links') },
    {
      hub,
      features: { mode: 'sandbox', version, isDemo, directory },
      routes: [
        ...toCallRoutes({ book, servers, source: { ...options.reached, name } }),
        ...toWireRoutes(wire),
        ...toRunRoutes(runs),
        ...toFaultRoutes(faults),
        ...(isDemo ? toStoryRoutes(story) : []),
        ...toPromptRoutes(desk, test),
      ],
    },
  );
  const host = await openHost({ ledger, stateDir, version, book });
  const ready = connectAll(options, { host, servers, line, fetch, open: [test, book] });
  void ready.catch(reportToStderr);
  return {
    fetch: dashboard.fetch,
    ready,
    async close() {
      dashboard.close();
      desk.close();
      faults.close();
      await runs.close();
      await host.close();
      await ledger.close();
      await line.close();
      await store.close();
    },
  };
}

function openHost(options: { ledger: Ledger; stateDir: string; version: string; book: CallBook }): Promise<Host> {
  const { ledger, stateDir, version, book } = options;
  return createHost({
    ledger,
    keepMs: KEEP_MS,
    stateDir,
    client: { name: 'holdfast-sandbox', version },
    onQuestion: (question) => book.ask(question),
    onError: reportToStderr,
  });
}

interface Connecting {
  readonly host: Host;
  readonly servers: SandboxServers;
  readonly line: GatewayLine;
  readonly fetch: RoughFetch['fetch'];
  /** Parts that need the host before its servers are connected. */
  readonly open: readonly { open(host: Host): Promise<void> }[];
}

async function connectAll({ name, pluginDir }: SandboxOptions, rooms: Connecting): Promise<void> {
  const { host, servers, line, fetch } = rooms;
  servers.expect(name, true);
  if (pluginDir !== undefined) servers.expect(PLUGIN, false);
  for (const room of rooms.open) await room.open(host);
  const listen = async () => {
    await line.open();
    return line.toSpec(fetch);
  };
  const plugin = pluginDir === undefined ? [] : [servers.connect(host, PLUGIN, async () => toPluginSpec(pluginDir))];
  await Promise.all([servers.connect(host, name, listen), ...plugin]);
}

function toServers(hub: EventHub, gateway: Gateway): SandboxServers {
  const servers = new SandboxServers({
    onChange: () => hub.publish({ type: 'servers', data: {} }),
    upstreams: () => gateway.upstreams(),
  });
  gateway.onUpstreams(() => void servers.refresh().catch(reportToStderr));
  return servers;
}

function toPluginSpec(pluginDir: string) {
  return { pluginDir, projectRoot: process.cwd(), sessionRoot: process.cwd() };
}

/** Derived only from the servers, so that a sandbox started elsewhere or differently resumes its tasks. */
function toIdentity(upstreams: SandboxOptions['upstreams']): string {
  const print = createHash('sha256').update(JSON.stringify(upstreams)).digest('hex').slice(0, 12);
  return `sandbox-${print}`;
}
