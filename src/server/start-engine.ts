import type { Dialect } from '../dialects/dialect.ts';
import { readStoredCall } from '../dialects/shared/stored-call.ts';
import type { TaskContext } from '../engine/attempts/context.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { toCallResult } from './calls/call-result.ts';
import { completeUpfront } from './calls/complete-upfront.ts';
import { listUpfrontSecrets } from './calls/upfront-secrets.ts';
import type { ServerOptions } from './server-options.ts';
import type { ParsedServerTool, ServerTaskContext } from './tools/server-tool.ts';

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

function toEngineTool(tool: ParsedServerTool) {
  // What the engine keeps is a stored call, which the tool's own schema does not describe.
  const { input: _input, ...definition } = tool.definition;
  const { estimateMs, redact } = definition;
  return {
    ...definition,
    ...(redact && { redact: redact.flatMap((rule) => (rule.startsWith('/') ? toStoredRules(rule) : rule)) }),
    findSecrets: (kept: unknown) => listUpfrontSecrets(tool, readStoredCall(kept)),
    ...(typeof estimateMs === 'function' && {
      estimateMs: (kept: unknown) => estimateMs(tool.parseArgs(readStoredCall(kept).input) as never),
    }),
    async run(kept: unknown, task: TaskContext) {
      const stored = readStoredCall(kept);
      const args = tool.parseArgs(stored.input);
      const upfront = await completeUpfront(tool, args, { given: stored.upfront, task });
      const own = { upfront: { value: upfront }, prepared: { value: stored.prepared } };
      const context: ServerTaskContext = Object.create(task, own);
      return toCallResult(tool, await tool.definition.run(args as never, context));
    },
  };
}

/** Where a rule for the arguments finds them in what is kept: older builds named them `args`. */
function toStoredRules(rule: string): string[] {
  return [`/input${rule}`, `/args${rule}`];
}
