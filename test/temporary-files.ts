/**
 * Puts the temporary files of tests into memory, if there is a memory file system, and removes all of them at the end.
 *
 * Every commit waits for the disk, which hundreds of throw-away stores do not need. A killed process loses nothing in memory
 * either; only a crash of the machine does, and no test does that. `HOLDFAST_TEST_TMP` names another directory, and `npm run
 * test:real` uses the disk.
 */
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
// Several times what a run stores there at any moment.
const NEEDED_BYTES = 2 ** 31;

let made: string | undefined;

export function setup(): void {
  const place = process.env.HOLDFAST_TEST_TMP ?? (isRoomy(MEMORY) ? MEMORY : undefined);
  if (place === undefined || made !== undefined) return;
  removeAbandoned(place);
  made = mkdtempSync(join(place, `holdfast-tests-${process.pid}-`));
  // The same mode as the system's own temporary directory: some tests run programs as other users.
  chmodSync(made, 0o1777);
  process.env.TMPDIR = made;
}

export function teardown(): void {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
}

/** Removes what killed runs left behind: it would occupy memory until the machine is restarted. */
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
