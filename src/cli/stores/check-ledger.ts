import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { TaskError } from '../../errors.ts';
import { findUntrustedReason } from '../servers/untrusted-reason.ts';

// SQLite reads these files beside a database as its newest part, or as changes to roll back.
const SIDECAR_SUFFIXES = ['-wal', '-shm', '-journal'];

/** A ledger says which servers are started for its calls, so it must be trusted as much as a config file. */
export function checkLedger(path: string): void {
  let place = path;
  while (!existsSync(place)) place = dirname(place);
  const files = SIDECAR_SUFFIXES.map((suffix) => `${path}${suffix}`).filter((file) => existsSync(file));
  const reason = [place, ...files].map(findUntrustedReason).find(Boolean);
  if (reason === undefined) return;
  const message = `the ledger ${path} is not trusted: ${reason}; it says which programs are run as you`;
  throw new TaskError('UNTRUSTED_CONFIG', message);
}
