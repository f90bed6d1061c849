import { explainWait, type WaitReason } from '../../../dialects/ui-prompts/explain.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { findPlaceOfCall } from '../../stores/prompt-place.ts';
import type { PromptsExplainContext } from './prompt-commands.ts';

// The same exit codes as in the error table: success, missing log, not found.
const EXIT_CODES: Readonly<Record<WaitReason, number>> = {
  found: 0,
  'no-log': 66,
  nothing: 4,
  'other-request-id': 4,
  corrupt: 4,
  'wrong-type': 4,
  'wrong-action': 4,
  'wrong-kind': 4,
  'no-text': 4,
};

/** Explains why the wait for a task's result has not ended, in the host's words. */
export async function explainPrompt({ args: [taskId = ''], values, terminal }: PromptsExplainContext): Promise<number> {
  const { path, requestIdPrefix } = await findPlaceOfCall(taskId, values);
  const why = await explainWait(path, { taskId, requestIdPrefix });
  if (terminal.json) terminal.printJson({ taskId, path, ...why });
  else terminal.print(toPlainText(`${why.reason}: ${why.message}`));
  if (why.skippedLines > 0 && !terminal.json) terminal.remark(`${why.skippedLines} lines of the log are no entries`);
  return EXIT_CODES[why.reason];
}
