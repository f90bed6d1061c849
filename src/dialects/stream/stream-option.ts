import { z } from 'zod';
import { callback, onlyFields, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import type { Json } from '../../task/json.ts';

/**
 * Which calls of a tool are answered by a stream of notifications. `undefined`: those with `_meta.stream: true`; `true`
 * or an object: also those that ask for no other form, unless its `calls` says `'asked'`; `false`: none.
 */
export type StreamOption = boolean | StreamOptions;

/** How clients are notified of a tool's runs. */
export interface StreamOptions {
  /**
   * Which calls are streamed: those that ask for no other form, or only those with `_meta.stream: true`. Clients that
   * do not support streams treat the acknowledgement as the result, and their model never gets the real one.
   *
   * @default 'default'
   */
  readonly calls?: 'default' | 'asked';
  /**
   * First part of the notifications' names, as in `<app>.window_run.stream`.
   *
   * @default the server's name with `_` for each character that is not a letter, digit or `_`
   */
  readonly app?: string;
  /** Returns further ids of a run for its notifications. @default the tool's name as `windowId` */
  readonly describe?: (prepared: Json | undefined) => { readonly windowId?: string };
}

/** Which calls of a tool are streamed, and the names in their notifications. */
export interface StreamSettings {
  readonly calls: 'default' | 'asked' | 'none';
  readonly app: string;
  /** Returns the window that a run is shown in. */
  toWindowId(prepared: Json | undefined): string;
}

const parseFields = optionsParser(() => {
  const named = (app: unknown) => typeof app === 'string' && /^[A-Za-z0-9_.-]+$/.test(app);
  const fields = {
    calls: z.enum(['default', 'asked'], "'default' or 'asked'").default('default'),
    app: value<string>('a name of letters, digits, _ . and -', named).optional(),
    describe: callback<NonNullable<StreamOptions['describe']>>().optional(),
  } satisfies OptionsShape<StreamOptions>;
  return z.union([z.boolean(), onlyFields(fields)], 'true, false or an object with calls, app and describe').optional();
});

export function parseStreamOption(option: unknown, names: { tool: string; server: string }): StreamSettings {
  const { tool, server } = names;
  const defaultApp = server.replace(/[^A-Za-z0-9_]/g, '_');
  const given = parseFields(option, { of: `tool ${tool}`, field: 'stream' });
  if (given === undefined || typeof given === 'boolean') {
    const calls = given === undefined ? 'asked' : given ? 'default' : 'none';
    return { calls, app: defaultApp, toWindowId: () => tool };
  }
  const { calls, app = defaultApp } = given;
  const say = option as StreamOptions;
  return { calls, app, toWindowId: (prepared) => say.describe?.(prepared).windowId ?? tool };
}
