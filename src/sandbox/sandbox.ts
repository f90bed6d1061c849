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
import { toCallRoutes } from './calls/call-routes.ts';
import { CallTracker } from './calls/call-tracker.ts';
import { toListed } from './calls/call-view.ts';
import type { CopySource } from './copy/copy-texts.ts';
import { CutFetch } from './faults/cut-fetch.ts';
import { Faults, toFaultRoutes } from './faults/faults.ts';
import { FaultyFetch } from './faults/faulty-fetch.ts';
import { GatewayEndpoint } from './gateway-endpoint.ts';
import { AsyncTaskTest } from './prompts/async-task-test.ts';
import { PromptLogView } from './prompts/prompt-log-view.ts';
import { toPromptRoutes } from './prompts/prompt-routes.ts';
import { RunAs } from './run-as/run-as.ts';
import { toRunRoutes } from './run-as/run-routes.ts';
import { SandboxServers } from './sandbox-servers.ts';
import { Story, toStoryRoutes } from './story.ts';
import { tapFetch } from './wire/tap-fetch.ts';
import { WireRecorder } from './wire/wire-recorder.ts';
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
  const endpoint = new GatewayEndpoint(gateway);
  if (isWorker) await endpoint.open();
  return openParts(options, { store, gateway, endpoint, identity });
}

interface Parts {
  readonly store: Store;
  readonly gateway: Gateway;
  readonly endpoint: GatewayEndpoint;
  readonly identity: string;
}

async function openParts(options: SandboxOptions, { store, gateway, endpoint, identity }: Parts): Promise<Sandbox> {
  const { directory, name, isDemo, pluginDir, version } = options;
  const hub = new EventHub();
  const client = createTaskClient(withCodec(store, { codec: undefined, onError: reportToStderr }));
  const cutFetch = new CutFetch();
  const faultyFetch = new FaultyFetch(cutFetch.fetch);
  const servers = toServers(hub, gateway);
  const ledger = openSqliteLedger({ path: join(directory, 'page-calls.db') });
  const onChange = (call: ReturnType<CallTracker['get']>) => hub.publish({ type: 'call', data: toListed(call) });
  const calls = new CallTracker({ ledger, onChange, report: reportToStderr });
  const stateDir = join(directory, 'state');
  const onPrompts = () => hub.publish({ type: 'prompts', data: {} });
  const promptLog = new PromptLogView({ stateDir, pluginDir, onChange: onPrompts });
  const test = new AsyncTaskTest({ calls, promptLog, onChange: onPrompts, report: reportToStderr });
  const faults = new Faults({ client, identity, cutFetch, faultyFetch, store, promptLog, leaseMs: LEASE_MS });
  const onStory = (state: Story['state']) => hub.publish({ type: 'story', data: state });
  const story = new Story({ calls, client, faults, server: name, onChange: onStory });
  const findSchema = (tool: string) => servers.findTool(name, tool)?.inputSchema;
  const wire = new WireRecorder({ findSchema, findCall: (taskId) => calls.findByTask(taskId) });
  const fetch = tapFetch(faultyFetch.fetch, wire.record);
  const runs = new RunAs({
    version,
    toSpec() {
      servers.check(name);
      return endpoint.toSpec(fetch);
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
        ...toCallRoutes({ calls, servers, source: { ...options.reached, name } }),
        ...toWireRoutes(wire),
        ...toRunRoutes(runs),
        ...toFaultRoutes(faults),
        ...(isDemo ? toStoryRoutes(story) : []),
        ...toPromptRoutes(promptLog, test),
      ],
    },
  );
  const host = await openHost({ ledger, stateDir, version, calls });
  const ready = connectAll(options, { host, servers, endpoint, fetch, open: [test, calls] });
  void ready.catch(reportToStderr);
  return {
    fetch: dashboard.fetch,
    ready,
    async close() {
      dashboard.close();
      promptLog.close();
      faults.close();
      await runs.close();
      await host.close();
      await ledger.close();
      await endpoint.close();
      await store.close();
    },
  };
}

function openHost(options: { ledger: Ledger; stateDir: string; version: string; calls: CallTracker }): Promise<Host> {
  const { ledger, stateDir, version, calls } = options;
  return createHost({
    ledger,
    keepMs: KEEP_MS,
    stateDir,
    client: { name: 'holdfast-sandbox', version },
    onQuestion: (question) => calls.ask(question),
    onError: reportToStderr,
  });
}

interface Connecting {
  readonly host: Host;
  readonly servers: SandboxServers;
  readonly endpoint: GatewayEndpoint;
  readonly fetch: FaultyFetch['fetch'];
  /** Parts that need the host before its servers are connected. */
  readonly open: readonly { open(host: Host): Promise<void> }[];
}

async function connectAll({ name, pluginDir }: SandboxOptions, connecting: Connecting): Promise<void> {
  const { host, servers, endpoint, fetch } = connecting;
  servers.expect(name, true);
  if (pluginDir !== undefined) servers.expect(PLUGIN, false);
  for (const part of connecting.open) await part.open(host);
  const listen = async () => {
    await endpoint.open();
    return endpoint.toSpec(fetch);
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
