import { TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';

/**
 * Which calls of a tool are answered by a stream of notifications. `undefined`: those with `_meta.stream: true`; `true`
 * or an object: also those that ask for nothing else; `false`: none.
 */
export type StreamOption = boolean | StreamOptions;

export interface StreamOptions {
  /**
   * First part of the notifications' names, as in `<app>.window_run.stream`.
   *
   * @default the server's name with `_` for what is no letter, digit or `_`
   */
  readonly app?: string;
  /** What the notifications say of a run besides its id. @default the tool's name as `windowId` */
  readonly describe?: (prepared: Json | undefined) => { readonly windowId?: string };
}

export interface StreamSettings {
  readonly calls: 'usual' | 'asked' | 'none';
  readonly app: string;
  /** The window that a run is shown in. */
  toWindowId(prepared: Json | undefined): string;
}

const LEGAL = 'true, false or an object with app and describe';

export function parseStreamOption(option: unknown, names: { tool: string; server: string }): StreamSettings {
  const { tool, server } = names;
  const usualApp = server.replace(/[^A-Za-z0-9_]/g, '_');
  if (option === undefined || typeof option === 'boolean') {
    const calls = option === undefined ? 'asked' : option ? 'usual' : 'none';
    return { calls, app: usualApp, toWindowId: () => tool };
  }
  if (option === null || typeof option !== 'object')
    throw invalid(tool, { field: 'stream', value: option, legal: LEGAL });
  const { app = usualApp, describe } = option as { app?: unknown; describe?: unknown };
  if (typeof app !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(app))
    throw invalid(tool, { field: 'stream.app', value: app, legal: 'a name of letters, digits, _ . and -' });
  if (describe !== undefined && typeof describe !== 'function')
    throw invalid(tool, { field: 'stream.describe', value: describe, legal: 'a function' });
  const { describe: say } = option as StreamOptions;
  return { calls: 'usual', app, toWindowId: (prepared) => say?.(prepared).windowId ?? tool };
}

function invalid(tool: string, complaint: { field: string; value: unknown; legal: string }): TaskError {
  const { field, value, legal } = complaint;
  return new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} is ${JSON.stringify(value)}; legal is ${legal}`);
}
