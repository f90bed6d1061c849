import { join } from 'node:path';
import { CALLS_FILE } from '../../../gateway/calls-file.ts';
import { toStoreName, toUpstreamName } from '../../../gateway/upstream-names.ts';
import { prestartKeeper } from '../../../host/prestart-keeper.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import type { GatewayContext } from './gateway-commands.ts';
import { toCommand } from './upstream-command.ts';

/** Starts the server of `-- COMMAND` early, while the gateway itself is still being loaded. */
export async function startUpstream({ values, rest }: Pick<GatewayContext, 'values' | 'rest'>): Promise<void> {
  const { url, config, name: given } = values;
  // A worker starts no server until it has a call; `serveGateway` reports errors in the command line.
  if (rest.length === 0 || url !== undefined || config !== undefined || process.env.HOLDFAST_WORKER !== undefined)
    return;
  const spec = toCommand(rest);
  const name = toUpstreamName(spec);
  const directory = resolveStoreDirectory(given ?? toStoreName({ [name]: spec }));
  await prestartKeeper({ name, spec, ledger: join(directory, CALLS_FILE) });
}
