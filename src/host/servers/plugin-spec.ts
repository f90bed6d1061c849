import { readPlugin } from '../../dialects/ui-prompts/plugin.ts';
import { TaskError } from '../../errors.ts';
import type { HostSettings } from '../host-options.ts';
import type { ServerSpec, StdioSpec } from './server-spec.ts';

/** A ChatOS plugin: its `plugin.json` says how its server is reached and what its calls carry. */
export interface PluginSpec {
  readonly pluginDir: string;
  /** Which app of the plugin; needed when several have a server. */
  readonly appId?: string;
  /** The directory the user works in. */
  readonly projectRoot?: string;
  readonly sessionRoot?: string;
  /** Set for its server; a plugin cannot ask for variables itself. */
  readonly env?: StdioSpec['env'];
  /** Variables of this process that its server gets. @default [] */
  readonly passEnv?: StdioSpec['passEnv'];
}

/** How the server of a plugin is reached; any other spec is passed through. */
export async function resolvePlugin(
  spec: ServerSpec | PluginSpec,
  { stateDir }: Pick<HostSettings, 'stateDir'>,
): Promise<ServerSpec> {
  if (!isPlugin(spec)) return spec;
  if (typeof spec.pluginDir !== 'string' || spec.pluginDir === '') {
    throw new TaskError('INVALID_ARGUMENT', `pluginDir is ${JSON.stringify(spec.pluginDir)}; expected a path`);
  }
  if (stateDir === undefined) throw new TaskError('INVALID_ARGUMENT', 'a plugin needs the host option stateDir');
  const { pluginDir, env, passEnv, ...options } = spec;
  const { endpoint, callMeta } = await readPlugin(pluginDir, { ...options, stateDir });
  if (endpoint.kind === 'url') return { url: endpoint.url, headers: endpoint.headers, callMeta };
  const { command, args, cwd } = endpoint;
  return { command, args, cwd, ...(env && { env }), ...(passEnv && { passEnv }), callMeta };
}

function isPlugin(spec: ServerSpec | PluginSpec): spec is PluginSpec {
  return spec !== null && typeof spec === 'object' && 'pluginDir' in spec;
}
