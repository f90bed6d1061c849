/**
 * Keeps `NODE_EXTRA_CA_CERTS` from the programs that tests start.
 *
 * Node 20 reads and parses such a file whenever it starts, which costs more than all the rest of its start, and tests start
 * thousands of programs that trust nobody outside the machine. What fetches a package gets it back (`scripts/run.mjs`).
 */
import { KEPT_CERTIFICATES } from '../scripts/run.mjs';

export function setup(): void {
  const { NODE_EXTRA_CA_CERTS: file } = process.env;
  if (file === undefined) return;
  process.env[KEPT_CERTIFICATES] = file;
  delete process.env.NODE_EXTRA_CA_CERTS;
}
