/** The view, as the build made it: one page with everything in it. */
import { readFile } from 'node:fs/promises';
import { TaskError } from '../../errors.ts';

const PLACE = new URL('../../web/task-view.html', import.meta.url);

/** Read when it is asked for: hosts keep it, and most servers are never asked. */
export async function readViewFile(): Promise<string> {
  try {
    return await readFile(PLACE, 'utf8');
  } catch (cause) {
    throw new TaskError('INTERNAL', `the view is not in the package at ${PLACE.pathname}; build it again`, { cause });
  }
}
