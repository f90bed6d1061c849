import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import type { DialectSettings, ToolCall } from '../server-port.ts';
import { type AsyncTaskConfig, findAsyncTask } from './async-task.ts';

/**
 * Returns how the call is to be answered through the prompt log; undefined when it is not.
 *
 * The owner configures for which tools, and the names of the files. A call names the `_meta` key of its id. A call
 * whose host would wait for a result that is never written to the log is rejected: the host would treat any answer as
 * an acknowledgement.
 */
export function findPromptConfig(
  { tool: { name, prompts }, meta }: ToolCall,
  { requireTaskId }: Pick<DialectSettings, 'requireTaskId'>,
): AsyncTaskConfig | undefined {
  const asked = findAsyncTask(meta as never, name);
  if (!prompts) {
    if (asked) throw notSwitchedOnError(name);
    return undefined;
  }
  const { uiPromptFile, takes } = prompts;
  if (asked && asked.uiPromptFile !== uiPromptFile) {
    const expected = `${JSON.stringify(uiPromptFile)}, as the owner of the server named it`;
    throw invalidField('_meta.asyncTask.uiPromptFile', asked.uiPromptFile, expected);
  }
  const config = { ...prompts, ...(asked && { taskIdKey: asked.taskIdKey }) };
  if (takes === 'all' || requireTaskId) return config;
  if (takes === 'asked') return asked && config;
  const isOfContract = [config.taskIdKey, 'chatos', 'asyncTask'].some((key) => meta[key] !== undefined);
  return isOfContract ? config : undefined;
}

function notSwitchedOnError(tool: string): TaskError {
  const text = `_meta.asyncTask covers the tool ${tool}, which does not answer through the log of prompts`;
  return new TaskError('INVALID_ARGUMENT', `${text}; its owner switches that on with asyncTask`);
}
