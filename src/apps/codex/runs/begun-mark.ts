/**
 * Marks a run as begun by Codex, from before Codex starts until the end of the run was delivered. What Codex did before its
 * worker was lost cannot be undone, so a run with a mark is not repeated.
 *
 * A file instead of a step of the task: watchers of a run are notified of its steps, and this one would mean nothing to them.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../../app-kit/index.ts';

/**
 * Creates the mark, which is on disk when this resolves. Returns false when it already exists: the run has been started before.
 */
export async function markBegun(dataDir: string, taskId: string): Promise<boolean> {
  const folder = toFolder(dataDir);
  await makeDirectory(folder);
  try {
    await using file = await open(join(folder, taskId), 'wx', 0o600);
    await file.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await syncFolder(folder);
  return true;
}

/** Removes the mark of a run that has ended. */
export async function dropMark(dataDir: string, taskId: string): Promise<void> {
  await rm(join(toFolder(dataDir), taskId), { force: true });
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open directories, and persists their entries by itself.
  if (process.platform === 'win32') return;
  await using directory = await open(folder);
  await directory.sync();
}

function toFolder(dataDir: string): string {
  return join(dataDir, 'codex_app_begun');
}
