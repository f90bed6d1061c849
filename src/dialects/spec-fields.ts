/**
 * What the spec of a server may say for the built-in dialects, as types: the public options of a host are typed in one
 * place. The dialects check and use the fields (`specFields`, `resolveSpec`).
 */
import type { JsonObject } from './host-port.ts';

/** Which tools of a server stream: all, none, or those named. */
export type StreamOption = boolean | { readonly tools: readonly string[] };

/** What a server spec says for the dialects. */
export interface DialectFields {
  /** What every call carries as `_meta`; `asyncTask` in it says which tools answer through the log of prompts. */
  readonly callMeta?: JsonObject;
  /**
   * Which tools only acknowledge a call and tell the rest by notifications, on servers that do not say so themselves.
   * Such a call waits for the end of its stream; `false` takes every answer for the result.
   *
   * @default tools named `…window_run`, and calls with `stream: true` in `_meta`
   */
  readonly stream?: StreamOption;
}

/** A ChatOS plugin: its `plugin.json` says how its server is reached and what its calls carry. */
export interface PluginSpec {
  readonly pluginDir: string;
  /** Which app of the plugin; needed when several have a server. */
  readonly appId?: string;
  /** The directory the user works in. */
  readonly projectRoot?: string;
  readonly sessionRoot?: string;
  /** Set for its server; a plugin cannot ask for variables itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables of this process that its server gets. @default [] */
  readonly passEnv?: readonly string[];
}
