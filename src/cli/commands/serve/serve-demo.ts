import { createDemoServer } from '../../../apps/demo/demo-server.ts';
import { TaskError } from '../../../errors.ts';
import type { Store } from '../../../store/contract.ts';
import { toPromptRoots } from '../../stores/state-dir.ts';
import { findStoreAddress } from '../../stores/store-address.ts';
import { readVersion } from '../../version.ts';
import { DEMO_GUIDE } from './demo-guide.ts';
import { serveApp, toListening } from './serve-app.ts';
import type { DemoContext } from './serve-commands.ts';

/** Serves the demo; on a terminal, where no client is connected, prints what it is. */
export async function serveDemo({ values, terminal }: DemoContext): Promise<number> {
  const listening = toListening(values);
  const { conformance: isConformance = false } = values;
  const store = await openDatabase(values.store);
  await using server = createDemoServer({
    ...{ version: readVersion(), isConformance, ...toPromptRoots(values) },
    ...(store && { store }),
  });
  if (terminal.keyboard.canAsk && !terminal.json) terminal.remark(DEMO_GUIDE[listening ? 'http' : 'stdio']);
  return await serveApp(server, listening, terminal);
}

/** Opens the store; missing tables are created. */
async function openDatabase(store: string | undefined): Promise<Store | undefined> {
  if (store === undefined) return undefined;
  const address = findStoreAddress({ store });
  if (!address) throw new TaskError('USAGE', `--store is ${JSON.stringify(store)}; expected a postgres:// address`);
  const { openPostgresStore } = await import('../../../store/postgres/postgres-store.ts');
  return openPostgresStore(address);
}
