import type { McpServer } from '@modelcontextprotocol/server';
import { systemClock } from '../clock.ts';
import { parseResultPolicy } from '../dialects/tasks-2025/result-mode.ts';
import { deliverPrompt, PROMPT_TOPIC } from '../dialects/ui-prompts/server.ts';
import type { TaskContext } from '../engine/context.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { TaskError } from '../errors.ts';
import { reportToStderr, warn } from '../stderr.ts';
import { AnsweredCalls } from './answered-calls.ts';
import { toCallResult } from './call-result.ts';
import { findCompanion } from './companion-names.ts';
import { completeUpfront } from './complete-upfront.ts';
import { readConfig } from './config-file.ts';
import { hasTasks } from './has-tasks.ts';
import { HeadlessClients } from './headless-clients.ts';
import { openSecret } from './kept-secret.ts';
import { type Listening, type ListenOptions, parseListenOptions } from './listen-options.ts';
import { withKnown } from './profiles.ts';
import { createSeal, SEAL_KEY, type Seal } from './seal.ts';
import { parseServerOptions, type ServerOptions } from './server-options.ts';
import type { ServerParts } from './server-parts.ts';
import {
  type CallArgs,
  type ParsedServerTool,
  parseServerTool,
  type ServerTaskContext,
  type ServerTool,
  type ToolSchema,
} from './server-tool.ts';
import { SessionWatch } from './session-watch.ts';
import { listUpfrontSecrets } from './upfront-secrets.ts';

/** An MCP server whose tools are durable tasks, in both eras of the protocol. */
export interface HoldfastServer extends AsyncDisposable {
  /** Registers a tool; before serving. */
  tool<Input extends ToolSchema>(name: string, tool: ServerTool<Input>): HoldfastServer;
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

export function createServer(options: ServerOptions): HoldfastServer {
  const settings = parseServerOptions(options);
  const tools = new Map<string, ParsedServerTool>();
  const registrations: ((mcp: McpServer) => void)[] = [];
  const clock = options.clock ?? systemClock;
  const report = options.onError ?? reportToStderr;
  const openEngine = once(() => startEngine(options, tools));
  const openSeal = once(async (): Promise<Seal> => {
    if (settings.secret !== undefined) return createSeal(settings.secret);
    return createSeal(await openSecret((await openEngine()).directory, SEAL_KEY, warn));
  });
  const resultPolicy = parseResultPolicy(options.taskResult ?? {}, process.env, warn);
  const sessionWatch = new SessionWatch({ openEngine, report });
  const answers = new AnsweredCalls({ clock, report });
  const profiles = memo(() => withKnown(settings.profiles, readConfig().profiles));
  const parts: ServerParts = {
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
    return (await import('./serving.ts')).createServing(parts, registrations);
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
      if (hasTasks(tools)) await openEngine();
      await (await openServing()).serveStdio();
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

/** Starts the engine; in a worker process this is where the program stays. */
async function startEngine(options: ServerOptions, tools: ReadonlyMap<string, ParsedServerTool>): Promise<Engine> {
  const durable = [...tools.values()].filter(({ task }) => task !== 'never');
  const engineTools = Object.fromEntries(durable.map((tool) => [tool.name, toEngineTool(tool)]));
  const outbox = { ...options.outbox, [PROMPT_TOPIC]: deliverPrompt };
  const engine = await createEngine({ workers: 'detached', ...options, outbox, tools: engineTools });
  await engine.start();
  return engine;
}

function toEngineTool(tool: ParsedServerTool) {
  const { estimateMs, redact } = tool.tool;
  return {
    ...tool.tool,
    ...(redact && { redact: redact.map((rule) => (rule.startsWith('/') ? `/args${rule}` : rule)) }),
    findSecrets: (kept: CallArgs) => listUpfrontSecrets(tool, kept),
    ...(typeof estimateMs === 'function' && {
      estimateMs: ({ args }: CallArgs) => estimateMs(tool.parseArgs(args) as never),
    }),
    async run(kept: CallArgs, task: TaskContext) {
      const args = tool.parseArgs(kept.args);
      const upfront = await completeUpfront(tool, args, { given: kept.upfront, task });
      const own = { upfront: { value: upfront }, prepared: { value: kept.prepared } };
      const context: ServerTaskContext = Object.create(task, own);
      return toCallResult(tool, await tool.tool.run(args as never, context));
    },
  };
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
