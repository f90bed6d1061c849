import { TaskError } from '../../errors.ts';
import { invalidField } from '../../invalid-field.ts';
import type { HostPlace, SpecFields } from '../host-dialect.ts';
import type { PluginSpec } from '../spec-fields.ts';
import { readPlugin } from './plugin.ts';

/** Resolves a plugin to how its server is reached. */
export async function resolvePlugin(spec: SpecFields, { stateDir }: HostPlace): Promise<SpecFields> {
  const { pluginDir, env, passEnv, ...options } = spec as unknown as PluginSpec;
  if (typeof pluginDir !== 'string' || pluginDir === '') throw invalidField('pluginDir', pluginDir, 'a path');
  if (stateDir === undefined) throw new TaskError('INVALID_ARGUMENT', 'a plugin needs the host option stateDir');
  const { endpoint, callMeta } = await readPlugin(pluginDir, { ...options, stateDir });
  if (endpoint.kind === 'url') return { url: endpoint.url, headers: endpoint.headers, callMeta };
  const { command, args, cwd } = endpoint;
  return { command, args, cwd, ...(env && { env }), ...(passEnv && { passEnv }), callMeta };
}
