import { realpathSync } from 'node:fs';
import { TaskError } from '../../../errors.ts';
import type { GatewayCommand } from '../../../gateway/clients/plan-entry.ts';

/**
 * How a client starts this program: by the absolute paths of Node and of this file, because desktop clients do not have the
 * `PATH` of a shell. A copy in the `npx` cache may be deleted, so its path is not written into a config; `npx` is run
 * instead.
 */
export function findOwnCommand(given: string | undefined): GatewayCommand {
  if (given !== undefined) return readWords(given);
  const main = realpathSync(process.argv[1] ?? '');
  if (/[\\/]_npx[\\/]/.test(main)) return { command: 'npx', args: ['-y', 'holdfast'] };
  return { command: process.execPath, args: [main] };
}

function readWords(given: string): GatewayCommand {
  const [command, ...args] = given.trim().split(/\s+/);
  if (command) return { command, args };
  throw new TaskError('USAGE', `--command is ${JSON.stringify(given)}; expected a program and its arguments`);
}
