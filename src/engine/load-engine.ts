/** Loads the engine on first use: a server responds to its client before it needs one. */
import type { Engine } from './engine.ts';
import type { EngineOptions } from './engine-options.ts';
import type { EngineTools, InferredTools, InputsOf } from './engine-tools.ts';

/** Opens an engine on a store; call `start` to run tasks in or beside this process. */
export async function createEngine<Tools = EngineTools, Schemas = unknown>(
  options: Omit<EngineOptions, 'tools'> & { readonly tools?: InferredTools<Tools, Schemas> },
): Promise<Engine<InputsOf<Tools>>> {
  const { createEngine: create } = await import('./engine.ts');
  return create(options);
}
