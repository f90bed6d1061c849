/**
 * Removes `NODE_EXTRA_CA_CERTS` from the environment of the programs that tests start.
 *
 * Node 20 reads and parses such a file at every start, which takes longer than the rest of its start, and tests start
 * thousands of programs that connect to no other machine. Programs that fetch a package get it back (`scripts/run.mjs`).
 */
import { KEPT_CERTIFICATES } from '../scripts/run.mjs';

export function setup(): void {
  const { NODE_EXTRA_CA_CERTS: file } = process.env;
  if (file === undefined) return;
  process.env[KEPT_CERTIFICATES] = file;
  delete process.env.NODE_EXTRA_CA_CERTS;
}
