import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { TaskError } from '../../errors.ts';
import { HOST_MAX_CONFIG_BYTES } from '../../limits.ts';
import { findUntrustedReason } from './untrusted-reason.ts';

/** Reads a file that says what to run; throws `UNTRUSTED_CONFIG` if other users could have written it. */
export function readOwnFile(path: string): string {
  const fault = findUntrustedReason(path);
  if (fault !== undefined) throw untrustedFileError(path, fault);
  // Non-blocking: opening a named pipe instead of a file would wait for ever.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    const isValid = stats.isFile() && stats.size <= HOST_MAX_CONFIG_BYTES;
    if (isValid) return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
  throw new TaskError('INVALID_ARGUMENT', `${path} is no file of at most ${HOST_MAX_CONFIG_BYTES} bytes`);
}

export function untrustedFileError(path: string, fault: string): TaskError {
  const remedy = 'what it says would be run as you; own it alone, or give the command after --';
  return new TaskError('UNTRUSTED_CONFIG', `${path} is not trusted: ${fault}; ${remedy}`);
}
