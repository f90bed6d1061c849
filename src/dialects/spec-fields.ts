/**
 * What a server's spec may contain for the built-in dialects, as types: the public options of a host are typed in one
 * place. The dialects validate and use the fields (`specFields`, `resolveSpec`).
 */
import type { JsonObject } from './host-port.ts';

/** Which tools of a server stream: all, none, or those named. */
export type StreamOption = boolean | { readonly tools: readonly string[] };

/** The fields of a server spec that belong to dialects. */
export interface DialectFields {
  /** The `_meta` of every call; its `asyncTask` says which tools answer through the prompt log. */
  readonly callMeta?: JsonObject;
  /**
   * Which tools only acknowledge a call and send the rest as notifications, on servers that do not declare it
   * themselves. These calls wait for the end of their stream; `false` treats every answer as the result.
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
  /** Environment variables for its server; a plugin cannot ask for any itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of this process's environment variables that are passed to its server. @default [] */
  readonly passEnv?: readonly string[];
}
