/**
 * Puts what tests keep in temporary files into memory, where there is such a place, and removes all of it at the end.
 *
 * Every commit waits for its disk; hundreds of stores in files that are thrown away need none. A process that is killed
 * loses nothing in memory either: only a machine that is does, and no test does that. `HOLDFAST_TEST_TMP` names another
 * place, and `npm run test:real` uses the disk.
 */
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
// Several times what a run leaves there at any moment.
const NEEDED_BYTES = 2 ** 31;

let made: string | undefined;

export function setup(): void {
  const place = process.env.HOLDFAST_TEST_TMP ?? (isRoomy(MEMORY) ? MEMORY : undefined);
  if (place === undefined || made !== undefined) return;
  removeAbandoned(place);
  made = mkdtempSync(join(place, `holdfast-tests-${process.pid}-`));
  // As the system's own: some tests run programs as other users.
  chmodSync(made, 0o1777);
  process.env.TMPDIR = made;
}

export function teardown(): void {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}

/** What runs left that were killed: it would take up memory until the machine is restarted. */
function removeAbandoned(place: string): void {
  for (const name of readdirSync(place)) {
    const [, pid] = /^holdfast-tests-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(place, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function isRoomy(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > NEEDED_BYTES;
  } catch {
    return false;
  }
}
