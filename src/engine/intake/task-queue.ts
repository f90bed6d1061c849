import { TaskError } from '../../errors.ts';
import { MAX_NAME_LENGTH } from '../../limits.ts';
import type { NewTask } from '../../task/record.ts';
import type { ParsedTool } from '../tool.ts';

/**
 * Returns the queue of a call, as its tool names it; `undefined` for tools without queues.
 *
 * A refusal does not repeat the name: it may have been made of a secret.
 */
export function toQueue(
  tool: ParsedTool,
  { args, principal }: Pick<NewTask, 'args' | 'principal'>,
): string | undefined {
  if (tool.queue === undefined) return undefined;
  const name = nameQueue(tool, args);
  const isName = typeof name === 'string' && name.length > 0 && name.length <= MAX_NAME_LENGTH;
  if (!isName) throw invalidQueue(tool, toKind(name));
  // Two queues of different scopes must not have the same name.
  return JSON.stringify(tool.queueScope === 'program' ? [name] : [name, principal]);
}

function nameQueue(tool: ParsedTool, args: unknown): unknown {
  try {
    return tool.queue?.(args as never);
  } catch (cause) {
    throw invalidQueue(tool, 'threw', cause);
  }
}

function toKind(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'gave an empty text' : `gave ${value.length} characters`;
  if (value === null || value === undefined) return `gave ${value}`;
  return `gave a value of type ${typeof value}`;
}

function invalidQueue({ name }: ParsedTool, did: string, cause?: unknown): TaskError {
  const message = `tool ${name}: queue ${did}; expected a text of 1 to ${MAX_NAME_LENGTH} characters`;
  return new TaskError('INVALID_ARGUMENT', message, { cause });
}
