import { delimiter, dirname, join, resolve } from 'node:path';
import { TaskError } from '../../errors.ts';
import { resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import type { CallsValues } from '../command-line/shared-options.ts';

/** The path of the ledger that a command line names. */
export function toLedgerPath({ ledger }: Pick<CallsValues, 'ledger'>): string {
  return ledger === undefined ? join(resolveStoreDirectory('calls'), 'calls.db') : resolve(ledger);
}

/** The directory in which apps keep their prompt log: `--state-dir`, else `$CHATOS_STATE_DIR`, else beside the ledger. */
export function toStateDir(
  values: Pick<CallsValues, 'ledger' | 'state-dir'>,
  env: NodeJS.ProcessEnv = process.env,
): string {
  return resolve(values['state-dir'] ?? (env.CHATOS_STATE_DIR || dirname(toLedgerPath(values))));
}

/** The directories in which calls to a served app may place their prompt log, if the command line names any. */
export function toPromptRoots({ 'state-root': roots }: { readonly 'state-root'?: string }): {
  readonly promptRoots?: readonly string[];
} {
  if (roots === undefined) return {};
  const named = roots.split(delimiter).filter((root) => root !== '');
  if (named.length === 0) throw new TaskError('USAGE', '--state-root is ""; expected the path of a directory');
  return { promptRoots: named.map((root) => resolve(root)) };
}
