import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/server';
import { systemClock } from '../clock.ts';
import { parseResultPolicy } from '../dialects/options.ts';
import type { Engine } from '../engine/engine.ts';
import type { ToolSchema } from '../engine/schemas/tool-schema.ts';
import { interceptListen } from '../engine/workers/intercept-listen.ts';
import { isWorker } from '../engine/workers/worker-process.ts';
import { TaskError } from '../errors.ts';
import { reportToStderr, warn } from '../stderr.ts';
import { AnsweredCalls } from './calls/answered-calls.ts';
import { HeadlessClients } from './clients/headless-clients.ts';
import { withKnownProfiles } from './clients/profiles.ts';
import { readConfig } from './config-file.ts';
import { type Listening, type ListenOptions, parseListenOptions } from './http/listen-options.ts';
import { requireNodeRequest, requireWebRequest } from './http/request-kind.ts';
import type { RelayAudience, RelayParams } from './relay.ts';
import { ServerNotifications } from './server-notifications.ts';
import { parseServerOptions, type ServerOptions, type ServerSettings } from './server-options.ts';
import type { ServerCore } from './server-parts.ts';
import { SessionWatch } from './sessions/session-watch.ts';
import { EarlyResponder } from './stdio/early-responder.ts';
import { hasTasks } from './tools/has-tasks.ts';
import type { ServerTool } from './tools/server-tool.ts';
import { type LiveTools, ToolRegistry } from './tools/tool-registry.ts';

/** An MCP server whose tools are durable tasks, in both eras of the protocol. */
export interface HoldfastServer extends AsyncDisposable {
  /**
   * Registers a tool, before serving. Later ones are refused unless `capabilities` has `tools: { listChanged: true }`:
   * then clients are notified, in the modern era if they listen for it.
   */
  tool<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>(
    name: string,
    tool: ServerTool<Input, Output>,
  ): HoldfastServer;
  /** Removes a tool, even while serving. Running tasks go on; queued ones wait until the tool is registered again. */
  removeTool(name: string): HoldfastServer;
  /** Sends clients a notification that is not part of an answer. @param to selects the clients; by default all */
  notify(method: string, params?: RelayParams, to?: RelayAudience): void;
  /** Registers prompts, resources, templates and completion on each of the SDK's servers. */
  mcp(register: (mcp: McpServer) => void): HoldfastServer;
  /** Serves this process's stdin and stdout; resolves when the client has closed them. Never returns in a worker. */
  serveStdio(): Promise<void>;
  /**
   * Opens the store and starts to supervise its tasks. Call it before a framework listens: in a worker, which runs the
   * same program, it never returns.
   */
  start(): Promise<void>;
  /**
   * Serves one HTTP request, for any framework that uses web `Request` and `Response`. Rejects with `INVALID_ARGUMENT`
   * when the server has neither `verify` nor `unprotected: true`, or when given a Node request.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Serves one Node HTTP request, for Express, Connect, Fastify and other Node frameworks; usable directly as
   * middleware. A body that was already parsed is taken from `req.body`, or from the third argument. Resolves when the
   * request has been answered.
   *
   * @example app.all('/mcp', server.node);
   */
  readonly node: (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown) => Promise<void>;
  /**
   * Serves HTTP on a port of this machine. Never returns in a worker. Rejects with `INVALID_ARGUMENT` when no option
   * says who may use it.
   */
  listen(options: ListenOptions): Promise<Listening>;
  /** Stops serving. Tasks go on. */
  close(): Promise<void>;
}

/** Creates an MCP server; register tools, then serve them on stdio or HTTP. */
export function createServer(options: ServerOptions): HoldfastServer {
  const { core, registry } = createCore(options);
  const { settings, tools, notifications, openEngine, profiles, answers } = core;
  const registrations: ((mcp: McpServer) => void)[] = [];
  // Loaded on demand: a worker serves no clients, and the SDK would be half of what it loads.
  const openServing = once(async () => {
    // Fail on an invalid configuration before any client is served.
    if (hasTasks(tools)) profiles();
    return (await import('./transports.ts')).createTransports(core, registrations);
  });

  let earlyResponder: EarlyResponder | undefined;
  const isServed = () => earlyResponder !== undefined || openEngine.isBegun() || openServing.isBegun();

  const start = async () => {
    if (!hasTasks(tools)) return;
    // Fail on an invalid configuration before any client is answered.
    if (!isWorker) profiles();
    // In a worker process this never returns.
    await openEngine();
  };
  if (isWorker) interceptListen(start);

  const server: HoldfastServer = {
    tool(name, tool) {
      if (isServed() && !declaresListChanged(settings)) throw lateRegistrationError(`tool ${JSON.stringify(name)}`);
      registry.add(name, tool as unknown as ServerTool);
      return server;
    },
    removeTool(name) {
      registry.remove(name);
      return server;
    },
    notify: (method, params = {}, to) => notifications.broadcast({ method, params, to }),
    mcp(register) {
      if (isServed()) throw lateRegistrationError('what mcp registers');
      registrations.push(register);
      return server;
    },
    async serveStdio() {
      if (isWorker) await start();
      // Fail on an invalid configuration before any client is answered.
      if (hasTasks(tools)) profiles();
      earlyResponder = new EarlyResponder({ settings, canAnswer: registrations.length === 0 });
      await earlyResponder.begun;
      const serving = await openServing();
      const begun = hasTasks(tools) ? openEngine() : Promise.resolve();
      await Promise.all([begun, serving.serveStdio(earlyResponder, begun)]);
    },
    start,
    async fetch(request) {
      requireWebRequest(request);
      if (isWorker) await start();
      return (await openServing()).fetch(request);
    },
    async node(request, response, parsedBody) {
      requireNodeRequest(request, response);
      if (isWorker) await start();
      return (await openServing()).node(request, response, parsedBody);
    },
    async listen(listenOptions) {
      const parsed = parseListenOptions(listenOptions, settings);
      if (hasTasks(tools)) await openEngine();
      return (await openServing()).listen(parsed);
    },
    async close() {
      if (openServing.isBegun()) await (await openServing()).close();
      await answers.close();
      if (openEngine.isBegun()) await (await openEngine()).close();
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  return server;
}

/** Whether clients are notified of tools that are added while serving. */
function declaresListChanged({ capabilities }: ServerSettings): boolean {
  return (capabilities?.tools as { listChanged?: unknown } | undefined)?.listChanged === true;
}

/** The error of a late registration: clients and workers already know what is served. */
function lateRegistrationError(what: string): TaskError {
  const remedy = 'register everything before serveStdio, start, listen or the first request';
  const message = `${what} comes after the server began to serve, and would not be served; ${remedy}`;
  return new TaskError('INVALID_ARGUMENT', message);
}

interface OwnCore extends ServerCore {
  readonly openEngine: ReturnType<typeof once<Engine>>;
}

/** Creates what all parts of a server share, without opening anything. */
function createCore(options: ServerOptions): { core: OwnCore; registry: ToolRegistry } {
  const settings = parseServerOptions(options);
  const notifications = new ServerNotifications();
  const registry = new ToolRegistry(settings, notifications);
  const { tools } = registry;
  const clock = options.clock ?? systemClock;
  const report = options.onError ?? reportToStderr;
  const onCreated = (live: LiveTools) => {
    registry.live = live;
  };
  // Modules that the first answer does not need are loaded on demand, or while the client is idle.
  const openEngine = once(async () =>
    (await import('./start-engine.ts')).startEngine(options, { tools, dialects: settings.dialects, onCreated }),
  );
  const core: OwnCore = {
    settings,
    tools,
    notifications,
    clock,
    openEngine,
    openSeal: once(async () => (await import('./secrets/open-seal.ts')).openSeal(settings.secret, openEngine)),
    profiles: memo(() => withKnownProfiles(settings.profiles, readConfig().profiles)),
    resultPolicy: parseResultPolicy(options.taskResult ?? {}, process.env, warn),
    report,
    warn,
    sessionWatch: new SessionWatch({ openEngine, report }),
    answers: new AnsweredCalls({ clock, report }),
    headless: new HeadlessClients(),
  };
  return { core, registry };
}

function memo<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function once<T>(make: () => Promise<T>): (() => Promise<T>) & { isBegun(): boolean } {
  let made: Promise<T> | undefined;
  const get = () => {
    made ??= make();
    return made;
  };
  return Object.assign(get, { isBegun: () => made !== undefined });
}
