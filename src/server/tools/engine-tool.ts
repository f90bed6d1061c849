import { readStoredCall } from '../../dialects/shared/stored-call.ts';
import type { TaskContext } from '../../engine/attempts/context.ts';
import { toCallResult } from './call-result.ts';
import { completeUpfront } from './complete-upfront.ts';
import type { ParsedServerTool, ServerTaskContext } from './server-tool.ts';
import { listUpfrontSecrets } from './upfront-secrets.ts';

/** A tool of a server as the engine runs it: on the call that is kept with the task. */
export function toEngineTool(tool: ParsedServerTool) {
  // What the engine keeps is a stored call, which the tool's own schema does not describe.
  const { input: _input, queue, ...definition } = tool.definition;
  const { estimateMs, redact } = definition;
  return {
    ...definition,
    ...(redact && { redact: redact.flatMap((rule) => (rule.startsWith('/') ? toStoredRules(rule) : rule)) }),
    findSecrets: (kept: unknown) => listUpfrontSecrets(tool, readStoredCall(kept)),
    ...(typeof estimateMs === 'function' && {
      estimateMs: (kept: unknown) => estimateMs(tool.parseArgs(readStoredCall(kept).input) as never),
    }),
    ...(queue && {
      queue(kept: unknown) {
        const { input, prepared } = readStoredCall(kept);
        return queue(tool.parseArgs(input) as never, prepared);
      },
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
