/**
 * How to reconnect to the servers of earlier calls.
 *
 * The origin stored in the ledger counts, and only what the user has approved is run: somebody else may have written the
 * ledger. If the file has changed since the call, the user is asked which version to use.
 */
import type { CallRecord, PluginSpec, ServerSpec } from '../../host/index.ts';
import { askTrust, requireTrust, type TrustContext } from './ask-trust.ts';
import { readEntry } from './config-files.ts';
import { describePlugin, findServer, readPluginOrigin, toFileOrigin, toTyped } from './find-server.ts';
import { type Origin, readOrigin, toSpec } from './origin.ts';
import { isTrusted, TYPED } from './trust-store.ts';

const [COMMAND, PLUGIN] = ['command:', 'plugin:'];

type Kept = Pick<CallRecord, 'server' | 'origin'>;

/** How the server of a call in the ledger is reached; throws `UNTRUSTED_CONFIG` if it is not trusted. */
export async function reopenServer(kept: Kept, context: TrustContext): Promise<ServerSpec | PluginSpec> {
  const origin = readOrigin(kept.origin);
  if (!origin) return reopenByName(kept.server, context);
  if ('pluginDir' in origin.spec) return reopen(readPluginOrigin(origin.spec, origin.passEnv), context);
  if (origin.path === TYPED) return reopen(origin, context);
  const entry = readEntry(origin.path, origin.name);
  const current = entry && toFileOrigin({ path: origin.path, entry }, origin);
  if (!current || current.hash === origin.hash) return reopen(origin, context);
  return (await isNewMeant(current, context)) ? toSpec(current) : reopen(origin, context);
}

async function isNewMeant(current: Origin, context: TrustContext): Promise<boolean> {
  if (isTrusted(current)) return true;
  const why = `server ${JSON.stringify(current.name)} of ${current.path} has changed since the call`;
  return askTrust({ ...current, why }, context);
}

/** Returns the spec if the user has approved it, and asks first otherwise. */
async function reopen(origin: Origin, context: TrustContext): Promise<ServerSpec | PluginSpec> {
  const { path, name } = origin;
  const from = path === TYPED ? '' : ` of ${path}`;
  const why = `${name}${from} stands in the ledger, and you have not said yes to it as it is now`;
  const more = 'pluginDir' in origin.spec ? describePlugin(path) : [];
  if (!isTrusted(origin)) await requireTrust({ ...origin, why, more }, context);
  return toSpec(origin);
}

/** Records of older versions and of other programs hold only the server's name. */
async function reopenByName(name: string, context: TrustContext): Promise<ServerSpec | PluginSpec> {
  if (/^https?:\/\//.test(name)) return { url: name };
  if (name.startsWith(COMMAND)) {
    return reopen(toTyped(JSON.parse(name.slice(COMMAND.length)) as string[], []), context);
  }
  if (name.startsWith(PLUGIN)) {
    const [pluginDir = '', appId] = JSON.parse(name.slice(PLUGIN.length)) as string[];
    const spec = { pluginDir, ...(appId !== undefined && { appId }), projectRoot: process.cwd() };
    return reopen(readPluginOrigin(spec, []), context);
  }
  return (await findServer({ server: name, command: [] }, context)).spec;
}
