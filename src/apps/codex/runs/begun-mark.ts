/**
 * Says of a run that Codex has begun it, from before it begins until its end has been told: what Codex did before its
 * worker was lost cannot be taken back, so it is not done a second time.
 *
 * A file and no step of the task: those who watch a run are told of its steps, and this one would say nothing to them.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../../../app-kit/index.ts';

/** Leaves the mark, on disk when this resolves. False when it is there already: the run has been begun before. */
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

/** Takes the mark of a run away that has ended. */
export async function dropMark(dataDir: string, taskId: string): Promise<void> {
  await rm(join(toFolder(dataDir), taskId), { force: true });
}

async function syncFolder(folder: string): Promise<void> {
  // There directories cannot be opened, and keep their entries by themselves.
  if (process.platform === 'win32') return;
  await using directory = await open(folder);
  await directory.sync();
}

function toFolder(dataDir: string): string {
  return join(dataDir, 'codex_app_begun');
}
