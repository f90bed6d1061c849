import type { Target } from '../../../campaign/soak/soak-options.ts';
import type { SoakDatabase } from '../../../campaign/soak/store-view.ts';
import { TaskError } from '../../../errors.ts';
import { findStoreAddress, toShownAddress } from '../../stores/store-address.ts';
import { DEMO } from './target.ts';

/** A soak prunes the store and kills its workers, so the schema's name must say that it is meant for that. */
export function parseSoakStore(store: string | undefined): SoakDatabase | undefined {
  if (store === undefined) return undefined;
  const { url, schema } = findStoreAddress({ store }) ?? {};
  if (url !== undefined && schema?.startsWith('soak')) return { url, schema };
  const expected = 'a postgres:// address with a ?schema= whose name begins with soak: what ended is pruned there';
  throw new TaskError('USAGE', `--store is ${JSON.stringify(store)}; expected ${expected}`);
}

/** Passes the store to the demo; another server's command line must name its store itself. */
export function withStore(target: Target, database: SoakDatabase | undefined): Target {
  if (database === undefined || target.kind !== 'command' || target.label !== DEMO) return target;
  const store = ['--store', toShownAddress(database)];
  return { ...target, stdio: [...target.stdio, ...store], http: [...target.http, ...store] };
}
