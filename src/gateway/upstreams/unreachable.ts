import type { ServerSpec } from '../../host/index.ts';
import { TaskError } from '../../index.ts';

/** Creates an error that says which upstream is unreachable, why, and how its owner can find out more. */
export function unreachableError(
  name: string,
  { cause, spec }: { readonly cause: unknown; readonly spec?: ServerSpec },
): TaskError {
  const causeMessage = cause instanceof Error ? cause.message : String(cause);
  const why = causeMessage.replace(/^server .*? cannot be reached: /, '');
  const message = `upstream ${name} cannot be reached: ${why}; ${toRemedy(spec)}`;
  return new TaskError('CONNECT_FAILED', message, { cause });
}

function toRemedy(spec: ServerSpec | undefined): string {
  if (spec && 'command' in spec) {
    return `run it by itself to see what it says: ${[spec.command, ...(spec.args ?? [])].join(' ')}`;
  }
  return spec && 'url' in spec ? `see whether an MCP server answers at ${spec.url}` : 'see whether it can be connected';
}
