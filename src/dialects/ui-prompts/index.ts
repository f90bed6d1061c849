/** The door for apps that answer through `ui-prompts.jsonl`. */

export { type ExplainOptions, explainWait, type WaitExplanation, type WaitReason } from './explain.ts';
export { createPromptLog, type PromptLog, type PromptLogOptions, type ResultPrompt } from './log/log-writer.ts';
export { toActive, toPending } from './pending.ts';
export type { PromptKind } from './prompt.ts';
export { readTaskStore, type StoredStatus, type StoredTask } from './task-store.ts';
export {
  LEGACY_PREFIX,
  LOG_NAME,
  type PromptEntry,
  type RequestEntry,
  type ResponseEntry,
  type ResultStatus,
} from './wire.ts';
export { writeStoredTask } from './write-stored-task.ts';
