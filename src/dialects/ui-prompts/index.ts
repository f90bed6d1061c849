/** The entry point for apps that answer through `ui-prompts.jsonl`. */

export { type ExplainOptions, explainWait, type WaitExplanation, type WaitReason } from './explain.ts';
export { createPromptLog, type PromptLog, type PromptLogOptions, type ResultPrompt } from './log/log-writer.ts';
export { toActive, toPending } from './prompt/pending.ts';
export type { PromptKind } from './prompt/prompt.ts';
export { readTaskStore, type StoredStatus, type StoredTask } from './task-store/task-store.ts';
export { writeStoredTask } from './task-store/write-stored-task.ts';
export {
  LEGACY_PREFIX,
  LOG_NAME,
  type PromptEntry,
  type RequestEntry,
  type ResponseEntry,
  type ResultStatus,
} from './wire.ts';
