import { statSync } from 'node:fs';
import { TaskError } from '../errors.ts';
import { findForeignWriter } from '../process/file-owner.ts';

/**
 * Reports a store that another user of the machine can write: a task that is planted there is run as us. It is not
 * refused, because users may share a store on purpose.
 */
export function reportForeignStore(directory: string | undefined, report: (error: unknown) => void): void {
  const stats = directory === undefined ? undefined : statSync(directory, { throwIfNoEntry: false });
  const why = stats && findForeignWriter(stats);
  if (why === undefined) return;
  const message = `the directory ${directory} of the store ${why}, who can have tools run as you; make it yours alone`;
  report(new TaskError('STORE_FOREIGN', message));
}
