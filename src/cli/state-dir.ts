import { dirname, join, resolve } from 'node:path';
import { resolveStoreDirectory } from '../store/sqlite/directory.ts';
import type { OptionValues } from './options.ts';

/** The ledger that a command line means. */
export function toLedgerPath({ ledger }: OptionValues): string {
  return ledger === undefined ? join(resolveStoreDirectory('calls'), 'calls.db') : resolve(ledger);
}

/** Where apps keep their log of prompts: `--state-dir`, else `$CHATOS_STATE_DIR`, else beside the ledger. */
export function toStateDir(values: OptionValues, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(values['state-dir'] ?? (env.CHATOS_STATE_DIR || dirname(toLedgerPath(values))));
}
