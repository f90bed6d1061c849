import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import type { DialectSettings, ToolCall } from '../server-port.ts';
import { type AsyncTaskConfig, findAsyncTask } from './async-task.ts';

/**
 * How the call is to be answered through the log of prompts; nothing when it is not.
 *
 * The owner says which tools are, and what the files are called. A call says where its id stands. One whose host would
 * wait for a result that is never written there is refused: any answer would be taken for an acknowledgement.
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
