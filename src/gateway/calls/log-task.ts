/** What an upstream logs during a call, as lines of the log of its task. */
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

/** Keeps one `notifications/message` with a task. */
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

/** Loggers that send objects put the line under one of these names. */
function readMessage(data: Json | undefined): string {
  const { message, msg } = (data ?? {}) as { readonly [key: string]: Json };
  const said = message ?? msg;
  return typeof said === 'string' ? said : JSON.stringify(data ?? null);
}
