import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { TaskError } from '../../errors.ts';
import { findFault } from '../servers/own-path.ts';

// SQLite reads these files beside a database as its newest part, or as changes to roll back.
const BESIDE = ['-wal', '-shm', '-journal'];

/** A ledger says which servers are started for its calls, so it must be trusted as much as a config file. */
export function checkLedger(path: string): void {
  let place = path;
  while (!existsSync(place)) place = dirname(place);
  const files = BESIDE.map((end) => `${path}${end}`).filter((file) => existsSync(file));
  const fault = [place, ...files].map(findFault).find(Boolean);
  if (fault === undefined) return;
  const message = `the ledger ${path} is not trusted: ${fault}; it says which programs are run as you`;
  throw new TaskError('UNTRUSTED_CONFIG', message);
}
