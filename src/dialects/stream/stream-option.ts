import { TaskError } from '../../errors.ts';
import type { Json } from '../../task/json.ts';

/**
 * Which calls of a tool are answered by a stream of notifications. `undefined`: those with `_meta.stream: true`; `true`
 * or an object: also those that ask for nothing else; `false`: none.
 */
export type StreamOption = boolean | StreamOptions;

/** How the runs of a tool are told of. */
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

/** Which calls of a tool are streamed, and what their runs are called. */
export interface StreamSettings {
  readonly calls: 'default' | 'asked' | 'none';
  readonly app: string;
  /** The window that a run is shown in. */
  toWindowId(prepared: Json | undefined): string;
}

const LEGAL = 'true, false or an object with app and describe';

export function parseStreamOption(option: unknown, names: { tool: string; server: string }): StreamSettings {
  const { tool, server } = names;
  const defaultApp = server.replace(/[^A-Za-z0-9_]/g, '_');
  if (option === undefined || typeof option === 'boolean') {
    const calls = option === undefined ? 'asked' : option ? 'default' : 'none';
    return { calls, app: defaultApp, toWindowId: () => tool };
  }
  if (option === null || typeof option !== 'object')
    throw invalid(tool, { field: 'stream', value: option, expected: LEGAL });
  const { app = defaultApp, describe } = option as { app?: unknown; describe?: unknown };
  if (typeof app !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(app))
    throw invalid(tool, { field: 'stream.app', value: app, expected: 'a name of letters, digits, _ . and -' });
  if (describe !== undefined && typeof describe !== 'function')
    throw invalid(tool, { field: 'stream.describe', value: describe, expected: 'a function' });
  const { describe: say } = option as StreamOptions;
  return { calls: 'default', app, toWindowId: (prepared) => say?.(prepared).windowId ?? tool };
}

function invalid(tool: string, complaint: { field: string; value: unknown; expected: string }): TaskError {
  const { field, value, expected } = complaint;
  return new TaskError('INVALID_ARGUMENT', `tool ${tool}: ${field} is ${JSON.stringify(value)}; expected ${expected}`);
}
