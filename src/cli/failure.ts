import { type TaskError, toTaskError } from '../errors.ts';
import { toPlainJson, toPlainText } from '../text/plain-text.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Tells what ended a command, and returns the exit code for it. */
export function reportFailure(error: unknown, terminal: Terminal): number {
  const failure = toTaskError(error);
  terminal.remark(terminal.json ? toJsonLine(failure) : `holdfast: ${toHumanLine(failure)}`);
  return failure.traits.exit;
}

function toJsonLine(failure: TaskError): string {
  const { code, message } = failure;
  return toPlainJson({ code, message, cause: toCauseText(failure) });
}

// An internal error hides its text from peers; the operator may see it.
function toHumanLine(failure: TaskError): string {
  const cause = failure.code === 'INTERNAL' ? toCauseText(failure) : null;
  return toPlainText(cause === null ? failure.message : `${failure.message}: ${cause}`);
}

function toCauseText({ cause }: TaskError): string | null {
  if (cause === undefined) return null;
  return cause instanceof Error ? cause.message : String(cause);
}
