import { readStoredCall } from '../../dialects/shared/stored-call.ts';
import type { TaskContext } from '../../engine/attempts/context.ts';
import type { Tool } from '../../engine/tool.ts';
import { MAX_KEPT_RESULT_BYTES, MAX_RESULT_BYTES, SHOWN_RESULT } from '../../limits.ts';
import { toCallResult } from './call-result.ts';
import { completeUpfront } from './complete-upfront.ts';
import { shortenResult } from './large-result.ts';
import type { ParsedServerTool, ServerTaskContext, ServerTool } from './server-tool.ts';
import { readStoredMeta } from './stored-meta.ts';
import { listUpfrontSecrets } from './upfront-secrets.ts';

/** Tool options for clients or for the server, and those that the engine gets in another form. */
const SERVER_FIELDS: Readonly<Record<Exclude<keyof ServerTool, keyof Tool> | 'input' | 'queue', true>> = {
  title: true,
  description: true,
  input: true,
  output: true,
  annotations: true,
  icons: true,
  _meta: true,
  listing: true,
  keepMeta: true,
  logs: true,
  task: true,
  inlineMs: true,
  quickMs: true,
  inlineResult: true,
  join: true,
  joinMs: true,
  asyncTask: true,
  stream: true,
  prepare: true,
  deliver: true,
  onSubmitted: true,
  upfront: true,
  queue: true,
};

// A prompt log offers no way to read the rest of a shortened result.
const WHOLE = { textBytes: MAX_RESULT_BYTES, binaryBytes: MAX_RESULT_BYTES };

/** Converts a server's tool for the engine, which runs it on the call stored with the task. */
export function toEngineTool(tool: ParsedServerTool) {
  // The engine stores a `StoredCall`, which the tool's own schema does not describe.
  const { estimateMs, redact, queue, maxResultBytes = MAX_KEPT_RESULT_BYTES, inlineResult } = tool.definition;
  const limits = { ...(tool.prompts ? WHOLE : SHOWN_RESULT), ...inlineResult, maxBytes: maxResultBytes };
  const own = Object.entries(tool.definition).filter(([field]) => !Object.hasOwn(SERVER_FIELDS, field));
  return {
    ...(Object.fromEntries(own) as Omit<ServerTool, keyof typeof SERVER_FIELDS>),
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
      const meta = readStoredMeta(task.labels);
      const own = { upfront: { value: upfront }, prepared: { value: stored.prepared }, meta: { value: meta } };
      const context: ServerTaskContext = Object.create(task, own);
      const result = toCallResult(tool, await tool.definition.run(args as never, context));
      return shortenResult(result, { task, limits, hasSchema: tool.parseOutput !== undefined });
    },
  };
}

/** Adapts a redaction rule for arguments to the stored call: older builds named them `args`. */
function toStoredRules(rule: string): string[] {
  return [`/input${rule}`, `/args${rule}`];
}
