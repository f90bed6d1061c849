import { deliverPrompt, PROMPT_TOPIC } from '../dialects/ui-prompts/server.ts';
import type { TaskContext } from '../engine/attempts/context.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { toCallResult } from './calls/call-result.ts';
import { completeUpfront } from './calls/complete-upfront.ts';
import { listUpfrontSecrets } from './calls/upfront-secrets.ts';
import type { ServerOptions } from './server-options.ts';
import type { ParsedServerTool, ServerTaskContext, StoredCall } from './tools/server-tool.ts';

/** Starts the engine; in a worker process this is where the program stays. */
export async function startEngine(
  options: ServerOptions,
  tools: ReadonlyMap<string, ParsedServerTool>,
): Promise<Engine> {
  const durable = [...tools.values()].filter(({ taskMode }) => taskMode !== 'never');
  const engineTools = Object.fromEntries(durable.map((tool) => [tool.name, toEngineTool(tool)]));
  const outbox = { ...options.outbox, [PROMPT_TOPIC]: deliverPrompt };
  const engine = await createEngine({ workers: 'detached', ...options, outbox, tools: engineTools });
  await engine.start();
  return engine;
}

function toEngineTool(tool: ParsedServerTool) {
  const { estimateMs, redact, queue } = tool.definition;
  const { queue: _queue, ...rest } = tool.definition;
  return {
    ...rest,
    ...(redact && { redact: redact.map((rule) => (rule.startsWith('/') ? `/args${rule}` : rule)) }),
    findSecrets: (kept: StoredCall) => listUpfrontSecrets(tool, kept),
    ...(typeof estimateMs === 'function' && {
      estimateMs: ({ args }: StoredCall) => estimateMs(tool.parseArgs(args) as never),
    }),
    ...(queue && {
      queue: ({ args, prepared }: StoredCall) => queue(tool.parseArgs(args) as never, prepared),
    }),
    async run(kept: StoredCall, task: TaskContext) {
      const args = tool.parseArgs(kept.args);
      const upfront = await completeUpfront(tool, args, { given: kept.upfront, task });
      const own = { upfront: { value: upfront }, prepared: { value: kept.prepared } };
      const context: ServerTaskContext = Object.create(task, own);
      return toCallResult(tool, await tool.definition.run(args as never, context));
    },
  };
}
