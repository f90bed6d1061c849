import { findRedacted, joinRedactions, parseRedaction, Scrubber } from '../../codec/redaction.ts';
import { findSecretFields } from '../../codec/secret-fields.ts';
import type { Json } from '../../task/json.ts';
import type { Question } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import type { ParsedTool } from '../tool.ts';
import type { Verdict } from './verdict.ts';

/** Returns the same value with its secrets masked. */
export type Scrub = <T extends Json>(said: T) => T;

/** The secrets of one task: its redacted arguments, and answers to fields that were marked secret. */
export interface TaskSecrets {
  /** Masks the secrets in what the tool reports. */
  readonly scrub: Scrub;
  /** Called when the tool has got an answer; its secret fields are masked from then on. */
  note(question: Pick<Question, 'request' | 'answer'>): void;
}

export function createSecrets(tool: ParsedTool, task: Pick<Task, 'args' | 'questions'>): TaskSecrets {
  const redact = joinRedactions(tool.redact, parseRedaction(tool.findSecrets?.(task.args as never)));
  const scrubber = new Scrubber(redact?.names);
  if (redact) scrubber.add(task.args, findRedacted(task.args, redact));
  const note: TaskSecrets['note'] = ({ request, answer }) => {
    if (request.kind !== 'form' || answer?.action !== 'accept') return;
    scrubber.add(answer.content, findSecretFields(request.schema, answer.content));
  };
  for (const question of task.questions) note(question);
  return { scrub: (said) => scrubber.scrub(said) as typeof said, note };
}

/** Scrubs the error of a failed tool: its message often repeats the arguments. */
export function scrubVerdict(verdict: Verdict, scrub: Scrub): Verdict {
  if (verdict.kind !== 'settle' || verdict.outcome.kind !== 'error') return verdict;
  const { code, message, data, stack, ...rest } = verdict.outcome.error;
  const error = {
    ...rest,
    code: scrub(code),
    message: scrub(message),
    ...(data !== undefined && { data: scrub(data) }),
    ...(stack !== undefined && { stack: scrub(stack) }),
  };
  return { kind: 'settle', outcome: { kind: 'error', error } };
}
