import type { Dialect } from '../dialects/dialect.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { ServerOptions } from './server-options.ts';
import { toEngineTool } from './tools/engine-tool.ts';
import type { ParsedServerTool } from './tools/server-tool.ts';

/** What of a server its engine needs. */
interface EngineNeeds {
  readonly tools: ReadonlyMap<string, ParsedServerTool>;
  readonly dialects: readonly Dialect[];
}

/** Starts the engine; in a worker process this is where the program stays. */
export async function startEngine(options: ServerOptions, { tools, dialects }: EngineNeeds): Promise<Engine> {
  const durable = [...tools.values()].filter(({ taskMode }) => taskMode !== 'never');
  const engineTools = Object.fromEntries(durable.map((tool) => [tool.name, toEngineTool(tool)]));
  const handlers = await Promise.all(dialects.map(({ outbox }) => outbox?.()));
  const outbox = Object.assign({ ...options.outbox }, ...handlers);
  const engine = await createEngine({ workers: 'detached', ...options, outbox, tools: engineTools });
  await engine.start();
  return engine;
}
