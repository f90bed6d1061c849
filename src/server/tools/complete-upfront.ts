import type { TaskContext } from '../../engine/attempts/context.ts';
import type { Json } from '../../task/json.ts';
import type { ParsedServerTool } from './server-tool.ts';

/** Returns all answers a tool wanted upfront: the given ones, and for the others asks now. */
export async function completeUpfront(
  tool: ParsedServerTool,
  args: unknown,
  { given, task }: { readonly given: Readonly<Record<string, Json>>; readonly task: TaskContext },
): Promise<Record<string, Json>> {
  const answers: Record<string, Json> = { ...given };
  for (const [key, question] of Object.entries(tool.definition.upfront?.(args as never) ?? {})) {
    if (!Object.hasOwn(answers, key)) answers[key] = await task.ask({ ...question, key });
  }
  return answers;
}
