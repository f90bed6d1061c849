/** Why a wait has found no result: what the log holds instead, in one word and one sentence. */
import { visitEntries } from './log-entries.ts';
import { isResult, type PromptEntry, toKind, toResultText } from './wire.ts';

export type WaitReason =
  /** There is a result with a text. */
  | 'found'
  /** The log is not there, or cannot be read. */
  | 'no-log'
  /** No entry names the task. */
  | 'nothing'
  /** An entry names the task, but it is a response. */
  | 'wrong-action'
  /** An entry names the task, but its prompt is of another kind. */
  | 'wrong-kind'
  /** A result names the task under another `requestId`. */
  | 'other-request-id'
  /** The result has no text. */
  | 'no-text';

export type WaitExplanation = {
  readonly reason: WaitReason;
  /** For a person. */
  readonly message: string;
  /** The kind, action or id that was found instead. */
  readonly found?: string;
  /** Lines of the log that are no entries. */
  readonly skippedLines: number;
};

export interface ExplainOptions {
  readonly taskId: string;
  readonly requestIdPrefix: string;
}

/** Reads the whole log once and says what of it comes nearest to a result for the task. */
export async function explainWait(path: string, options: ExplainOptions): Promise<WaitExplanation> {
  let best: Finding = { reason: 'nothing' };
  let entries = 0;
  const visit = (entry: PromptEntry) => {
    entries += 1;
    const finding = judge(entry, options);
    if (RANK.indexOf(finding.reason) > RANK.indexOf(best.reason)) best = finding;
  };
  try {
    const skippedLines = await visitEntries(path, { visit });
    if (entries === 0 && skippedLines === 0) best = { reason: 'no-log' };
    return { ...best, message: toMessage(best, { ...options, path }), skippedLines };
  } catch (error) {
    const message = `${path} cannot be read: ${(error as Error).message}`;
    return { reason: 'no-log', message, skippedLines: 0 };
  }
}

interface Finding {
  readonly reason: WaitReason;
  readonly found?: string;
}

// The nearest miss is what the app's author wants to hear of.
const RANK: readonly WaitReason[] = [
  'no-log',
  'nothing',
  'other-request-id',
  'wrong-action',
  'wrong-kind',
  'no-text',
  'found',
];

function judge(entry: PromptEntry, { taskId, requestIdPrefix }: ExplainOptions): Finding {
  const { requestId } = entry;
  if (requestId !== taskId && requestId !== `${requestIdPrefix}${taskId}`) {
    const isNear = isResult(entry) && requestId.includes(taskId);
    return isNear ? { reason: 'other-request-id', found: requestId } : { reason: 'nothing' };
  }
  if (entry.action !== 'request') return { reason: 'wrong-action', found: entry.action };
  const kind = toKind(entry.prompt);
  if (kind !== 'result') return { reason: 'wrong-kind', found: kind };
  return { reason: toResultText(entry.prompt) === '' ? 'no-text' : 'found' };
}

function toMessage({ reason, found }: Finding, options: ExplainOptions & { readonly path: string }): string {
  const { taskId, requestIdPrefix, path } = options;
  const legal = [taskId, `${requestIdPrefix}${taskId}`].map((id) => JSON.stringify(id)).join(' or ');
  const seen = JSON.stringify(found);
  switch (reason) {
    case 'found':
      return `${path} has a result for ${JSON.stringify(taskId)}`;
    case 'no-log':
      return `${path} is not there or has no line yet; the app writes its result to another place, or has not begun`;
    case 'nothing':
      return `${path} has no entry for ${JSON.stringify(taskId)}; a result needs the requestId ${legal}`;
    case 'other-request-id':
      return `${path} has a result with the requestId ${seen}; legal is ${legal}`;
    case 'wrong-action':
      return `${path} names ${JSON.stringify(taskId)} in an entry with the action ${seen}; a result has "request"`;
    case 'wrong-kind':
      return `${path} names ${JSON.stringify(taskId)} in a prompt of the kind ${seen}; a result has "result"`;
    case 'no-text':
      return `${path} has a result for ${JSON.stringify(taskId)} without a text in markdown, result or content`;
  }
}
