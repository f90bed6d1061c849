import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { TaskError } from '../../errors.ts';
import { makeDirectory } from '../../process/make-directory.ts';

/** Writes a report as JSON for programs. */
export function writeJsonReport(path: string, report: unknown): Promise<void> {
  return writeReport(path, `${JSON.stringify(report, undefined, 2)}\n`);
}

/** Writes a file atomically, so that a reader never sees half of a report. */
export async function writeReport(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    await makeDirectory(dirname(path));
    await writeDraft(draft, text);
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw unwritableError(path, cause);
  }
}

/** Creates the directory of a report; throws before a campaign of hours starts when it is not writable. */
export async function openReportDirectory(directory: string): Promise<string> {
  try {
    await makeDirectory(resolve(directory));
    await access(directory, constants.W_OK | constants.X_OK);
    if ((await stat(directory)).isDirectory()) return directory;
  } catch (cause) {
    throw unwritableError(directory, cause);
  }
  throw unwritableError(directory, 'ENOTDIR');
}

function unwritableError(path: string, cause: unknown): TaskError {
  const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new TaskError('USAGE', `the report cannot be written to ${path} (${why}); expected a directory of yours`, {
    cause,
  });
}

async function writeDraft(draft: string, text: string): Promise<void> {
  await using file = await open(draft, 'wx', 0o644);
  await file.writeFile(text);
  await file.sync();
}
