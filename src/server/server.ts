import type { McpServer } from '@modelcontextprotocol/server';
import { systemClock } from '../clock.ts';
import { findCompanion, parseResultPolicy } from '../dialects/options.ts';
import type { ToolSchema } from '../engine/tool-schema.ts';
import { isWorker } from '../engine/workers/worker-process.ts';
import { TaskError } from '../errors.ts';
import { reportToStderr, warn } from '../stderr.ts';
import { AnsweredCalls } from './calls/answered-calls.ts';
import { HeadlessClients } from './clients/headless-clients.ts';
import { withKnown } from './clients/profiles.ts';
import { readConfig } from './config-file.ts';
import { type Listening, type ListenOptions, parseListenOptions } from './http/listen-options.ts';
import { parseServerOptions, type ServerOptions } from './server-options.ts';
import type { ServerCore } from './server-parts.ts';
import { SessionWatch } from './sessions/session-watch.ts';
import { FrontDesk } from './stdio/front-desk.ts';
import { hasTasks } from './tools/has-tasks.ts';
import { type ParsedServerTool, parseServerTool, type ServerTool } from './tools/server-tool.ts';

/** An MCP server whose tools are durable tasks, in both eras of the protocol. */
export interface HoldfastServer extends AsyncDisposable {
  /** Registers a tool; before serving. */
  tool<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>(
    name: string,
    tool: ServerTool<Input, Output>,
  ): HoldfastServer;
  /** Registers prompts, resources, templates and completion on each of the SDK's servers. */
  mcp(register: (mcp: McpServer) => void): HoldfastServer;
  /** Serves this process's stdin and stdout; resolves when the client has closed them. Never returns in a worker. */
  serveStdio(): Promise<void>;
  /**
   * Serves one HTTP request, for any framework that speaks `Request` and `Response`. Rejects with `INVALID_ARGUMENT`
   * when the server has neither `verify` nor `unprotected: true`.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Serves HTTP on a port of this machine. Never returns in a worker. Rejects with `INVALID_ARGUMENT` when nobody said
   * who may use it.
   */
  listen(options: ListenOptions): Promise<Listening>;
  /** Stops serving. Tasks go on. */
  close(): Promise<void>;
}

/** Makes an MCP server; register tools, then serve them on stdio or HTTP. */
export function createServer(options: ServerOptions): HoldfastServer {
  const settings = parseServerOptions(options);
  const tools = new Map<string, ParsedServerTool>();
  const registrations: ((mcp: McpServer) => void)[] = [];
  const clock = options.clock ?? systemClock;
  const report = options.onError ?? reportToStderr;
  // Whatever the first answer does not need is loaded when it is needed, or while the client thinks.
  const openEngine = once(async () =>
    (await import('./start-engine.ts')).startEngine(options, { tools, dialects: settings.dialects }),
  );
  const openSeal = once(async () => (await import('./secrets/open-seal.ts')).openSeal(settings.secret, openEngine));
  const resultPolicy = parseResultPolicy(options.taskResult ?? {}, process.env, warn);
  const sessionWatch = new SessionWatch({ openEngine, report });
  const answers = new AnsweredCalls({ clock, report });
  const profiles = memo(() => withKnown(settings.profiles, readConfig().profiles));
  const core: ServerCore = {
    settings,
    tools,
    clock,
    openEngine,
    openSeal,
    profiles,
    resultPolicy,
    report,
    warn,
    sessionWatch,
    answers,
    headless: new HeadlessClients(),
  };
  // Loaded when it is needed: a worker serves nobody, and the SDK is half of what it would load.
  const openServing = once(async () => {
    // A configuration that cannot be used is told before anybody is served.
    if (hasTasks(tools)) profiles();
    return (await import('./transports.ts')).createTransports(core, registrations);
  });

  const server: HoldfastServer = {
    tool(name, tool) {
      if (tools.has(name)) throw new TaskError('INVALID_ARGUMENT', `there is a tool ${JSON.stringify(name)} already`);
      if (findCompanion(name, settings.companionPrefix))
        throw new TaskError('INVALID_ARGUMENT', `the name ${name} belongs to a tool of the server's`);
      tools.set(name, parseServerTool(name, tool as unknown as ServerTool, settings));
      return server;
    },
    mcp(register) {
      registrations.push(register);
      return server;
    },
    async serveStdio() {
      // In a worker process this is where the program stays.
      if (hasTasks(tools) && isWorker) await openEngine();
      // A configuration that cannot be used is told before anybody is answered.
      if (hasTasks(tools)) profiles();
      const desk = new FrontDesk({ settings, canAnswer: registrations.length === 0 });
      await desk.begun;
      const serving = await openServing();
      const begun = hasTasks(tools) ? openEngine() : Promise.resolve();
      await Promise.all([begun, serving.serveStdio(desk, begun)]);
    },
    fetch: async (request) => (await openServing()).fetch(request),
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
    async [Symbol.asyncDispose]() {
      await server.close();
    },
  };
  return server;
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
