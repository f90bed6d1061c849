import { realpathSync } from 'node:fs';
import { TaskError } from '../../../errors.ts';
import type { GatewayCommand } from '../../../gateway/clients/plan-entry.ts';

/**
 * How a client starts this program: by the paths of Node and of its file, because clients with windows know no `PATH` of a
 * shell. A copy that `npx` will throw away is no path to write down.
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
