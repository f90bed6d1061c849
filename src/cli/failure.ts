import { type TaskError, toTaskError } from '../errors.ts';
import { toPlainJson, toPlainText } from '../text/plain-text.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Prints the error that ended a command, and returns its exit code. */
export function reportFailure(error: unknown, terminal: Terminal): number {
  const failure = toTaskError(error);
  terminal.remark(terminal.json ? toJsonLine(failure) : `holdfast: ${toHumanLine(failure)}`);
  return failure.traits.exit;
}

function toJsonLine(failure: TaskError): string {
  const { code, message } = failure;
  return toPlainJson({ code, message, cause: toCauseText(failure) });
}

// The text of an internal error is hidden from peers, but shown to the operator.
function toHumanLine(failure: TaskError): string {
  const cause = failure.code === 'INTERNAL' ? toCauseText(failure) : null;
  return toPlainText(cause === null ? failure.message : `${failure.message}: ${cause}`);
}

function toCauseText({ cause }: TaskError): string | null {
  if (cause === undefined) return null;
  return cause instanceof Error ? cause.message : String(cause);
}
