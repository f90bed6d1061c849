import { existsSync } from 'node:fs';
import { TaskError } from '../../../errors.ts';
import { rekeySqliteStore } from '../../../store/sqlite/rekey.ts';
import { checkLedger } from '../../stores/check-ledger.ts';
import { toDatabasePath } from '../../stores/open-store.ts';
import { readCodec } from '../../stores/read-codec.ts';
import { toLedgerPath } from '../../stores/state-dir.ts';
import type { StoreRekeyContext } from './task-commands.ts';

/** Re-encodes every payload of a store or a ledger with the first key of the key file. */
export async function rekeyStore({ values, terminal }: StoreRekeyContext): Promise<number> {
  const { changed, failed, failure } = await rekey(values);
  if (failure) {
    const message = `${failed} rows could not be read and stay as they are, ${changed} payloads were encoded anew: ${failure.message}`;
    throw new TaskError(failure.code, message, { cause: failure, data: { changed, failed } });
  }
  if (terminal.json) terminal.printJson({ changed });
  else terminal.print(changed === 0 ? 'every payload has that key' : `${changed} payloads encoded`);
  return 0;
}

async function rekey(values: StoreRekeyContext['values']) {
  const codec = readCodec(values);
  if (!codec) throw new TaskError('USAGE', 'which keys? expected: --key-file FILE, whose first key every payload gets');
  const vacuum = values.vacuum === true;
  if (values.ledger === undefined) return rekeySqliteStore({ path: toDatabasePath(values), codec, vacuum });
  if (values.store !== undefined || values.name !== undefined) {
    throw new TaskError('USAGE', 'give --store, --name or --ledger, not two of them');
  }
  const path = toLedgerPath(values);
  if (!existsSync(path)) throw new TaskError('STORE_NOT_FOUND', `there is no ledger ${path}`);
  checkLedger(path);
  // Imported only here: the host loads the MCP SDK, which rekeying a store does not need.
  const { rekeySqliteLedger } = await import('../../../host/index.ts');
  return rekeySqliteLedger({ path, codec, vacuum });
}
