import type { Dialect } from '../dialects/dialect.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { WORKER_FAILED } from '../engine/workers/worker-life.ts';
import { isWorker } from '../engine/workers/worker-process.ts';
import { reportToStderr } from '../stderr.ts';
import { type ServerOptions, toEngineOptions } from './server-options.ts';
import { toEngineTool } from './tools/engine-tool.ts';
import type { ParsedServerTool } from './tools/server-tool.ts';
import type { LiveTools } from './tools/tool-registry.ts';

/** The parts of a server that its engine needs. */
interface EngineNeeds {
  readonly tools: ReadonlyMap<string, ParsedServerTool>;
  readonly dialects: readonly Dialect[];
  /** Called before the engine starts: in a worker process nothing runs after that. */
  onCreated(live: LiveTools): void;
}

/** Starts the engine; in a worker process this never returns, and exits when the worker cannot work. */
export async function startEngine(options: ServerOptions, needs: EngineNeeds): Promise<Engine> {
  if (!isWorker) return openAndStart(options, needs);
  try {
    return await openAndStart(options, needs);
  } catch (error) {
    // If this were thrown, the program might take it for a failure to serve, and go on.
    reportToStderr(error);
    process.exit(WORKER_FAILED);
  }
}

async function openAndStart(options: ServerOptions, { tools, dialects, onCreated }: EngineNeeds): Promise<Engine> {
  const durable = [...tools.values()].filter(({ taskMode }) => taskMode !== 'never');
  const engineTools = Object.fromEntries(durable.map((tool) => [tool.name, toEngineTool(tool)]));
  const handlers = await Promise.all(dialects.map(({ outbox }) => outbox?.()));
  const outbox = Object.assign({ ...options.outbox }, ...handlers);
  const engine = await createEngine({ workers: 'detached', ...toEngineOptions(options), outbox, tools: engineTools });
  onCreated({
    set: (tool) =>
      tool.taskMode === 'never' ? engine.removeTool(tool.name) : engine.setTool(tool.name, toEngineTool(tool)),
    remove: (name) => engine.removeTool(name),
  });
  await engine.start();
  return engine;
}
