import { dirname, join } from 'node:path';
import { openDashboard } from '../../../dashboard/dashboard.ts';
import { EventHub } from '../../../dashboard/events/event-hub.ts';
import { openTokenFile } from '../../../dashboard/http/token-file.ts';
import { findAudit } from '../../../engine/audit.ts';
import { connectTaskClient } from '../../../engine/task-client.ts';
import { reportToStderr } from '../../../stderr.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import type { StoreValues } from '../../command-line/shared-options.ts';
import { openStore, toDatabasePath } from '../../stores/open-store.ts';
import { findStoreAddress, toShownAddress } from '../../stores/store-address.ts';
import { readVersion } from '../../version.ts';
import type { DashboardContext } from './sandbox-commands.ts';
import { servePage } from './serve-page.ts';

function toPlace(values: StoreValues): { readonly name: string; readonly directory: string } {
  const address = findStoreAddress(values);
  if (address) return { name: toShownAddress(address), directory: resolveStoreDirectory('dashboard') };
  const name = toDatabasePath(values);
  return { name, directory: dirname(name) };
}

/** Opens the dashboard on an existing store and serves it until a signal arrives. */
export async function runDashboard({ values, terminal }: DashboardContext): Promise<number> {
  const place = toPlace(values);
  const store = await openStore(values, { readOnly: false });
  try {
    // A PostgreSQL store has no directory here: one page token of this user serves all of them.
    const directory = store.directory ?? place.directory;
    const token = await openTokenFile(directory);
    const features = { mode: 'dashboard', version: readVersion(), directory };
    const audit = findAudit(directory, reportToStderr);
    const rooms = { features, routes: [], hub: new EventHub() };
    const dashboard = openDashboard(
      connectTaskClient(store, { audit }),
      { token, links: join(directory, 'links') },
      rooms,
    );
    const title = `The tasks of ${place.name}; whoever has this address may see and cancel them:`;
    try {
      await servePage({ values, terminal, token, title, fetch: dashboard.fetch });
    } finally {
      dashboard.close();
    }
  } finally {
    await store.close();
  }
  return 0;
}
