/** Stores what an upstream logs during a call in the log of the call's task. */
import type { JsonObject } from '../../host/index.ts';
import type { Json, LogLevel, ServerTaskContext } from '../../index.ts';

const LEVELS: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Adds one `notifications/message` to the log of a task. */
export async function logTask(task: ServerTaskContext, { level, logger, data }: JsonObject): Promise<void> {
  const named = LEVELS[String(level)] ?? 'info';
  const text = typeof data === 'string' ? data : readMessage(data);
  const rest: JsonObject = {
    ...(named !== level && typeof level === 'string' && { level }),
    ...(typeof logger === 'string' && { logger }),
    ...(typeof data !== 'string' && data !== undefined && { data }),
  };
  await task.log(named, text, ...(Object.keys(rest).length > 0 ? [rest as Json] : []));
}

/** Loggers that send objects put the text in one of these fields. */
function readMessage(data: Json | undefined): string {
  const { message, msg } = (data ?? {}) as { readonly [key: string]: Json };
  const said = message ?? msg;
  return typeof said === 'string' ? said : JSON.stringify(data ?? null);
}
