import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { TaskError } from '../../errors.ts';
import { findFault } from '../servers/own-path.ts';

// SQLite takes what lies beside a database for its newest part, or for what has to be undone in it.
const BESIDE = ['-wal', '-shm', '-journal'];

/** A ledger says which servers are started for its calls, so it is as dangerous as what starts them. */
export function checkLedger(path: string): void {
  let place = path;
  while (!existsSync(place)) place = dirname(place);
  const files = BESIDE.map((end) => `${path}${end}`).filter((file) => existsSync(file));
  const fault = [place, ...files].map(findFault).find(Boolean);
  if (fault === undefined) return;
  const message = `the ledger ${path} is not trusted: ${fault}; it says which programs are run as you`;
  throw new TaskError('UNTRUSTED_CONFIG', message);
}
