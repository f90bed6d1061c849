import { dirname, join } from 'node:path';
import { openDashboard } from '../../../dashboard/dashboard.ts';
import { EventHub } from '../../../dashboard/events/event-hub.ts';
import { openTokenFile } from '../../../dashboard/http/token-file.ts';
import { createTaskClient } from '../../../engine/task-client.ts';
import { openStore, toDatabasePath } from '../../stores/open-store.ts';
import { readVersion } from '../../version.ts';
import type { DashboardContext } from './sandbox-commands.ts';
import { servePage } from './serve-page.ts';

/** Opens the page on a store that is there, and stays. */
export async function runDashboard({ values, terminal }: DashboardContext): Promise<number> {
  const path = toDatabasePath(values);
  const store = await openStore(values, { readOnly: false });
  try {
    const directory = store.directory ?? dirname(path);
    const token = await openTokenFile(directory);
    const features = { mode: 'dashboard', version: readVersion(), directory };
    const rooms = { features, routes: [], hub: new EventHub() };
    const dashboard = openDashboard(createTaskClient(store), { token, links: join(directory, 'links') }, rooms);
    const title = `The tasks of ${path}; whoever has this address may see and cancel them:`;
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
