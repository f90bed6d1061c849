/** Shared by install and uninstall: choosing the clients, showing the diff and asking for confirmation. */
import { join } from 'node:path';
import { TaskError } from '../../../errors.ts';
import { CLIENTS, type ClientConfig } from '../../../gateway/clients/client-table.ts';
import type { EntryChange } from '../../../gateway/clients/rewrite-config.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { UninstallContext } from './install-commands.ts';

type Which = Pick<UninstallContext, 'args' | 'values'>;

export function chooseClients({ client }: Which['values']): readonly ClientConfig[] {
  return client === undefined ? CLIENTS : CLIENTS.filter(({ name }) => name === client);
}

/** The directory of the records of changes and of the backups of changed files. */
export function findRecordDirectory(): string {
  return join(resolveStoreDirectory('calls'), 'clients');
}

/** All servers are changed only if `--all` was given. */
export function checkWhich({ args, values }: Which, command: string): void {
  if (args.length > 0 && values.all) throw new TaskError('USAGE', `${command} takes names or --all, and not both`);
  if (args.length > 0 || values.all) return;
  throw new TaskError('USAGE', `which servers? expected: holdfast ${command} NAME…, or --all (--dry-run shows them)`);
}

/** Prints the removed and added lines of an entry. */
export function showChange(terminal: Terminal, { was, wrote }: EntryChange): void {
  const [before, after] = [was.split(/\r?\n/), wrote.split(/\r?\n/)];
  const gone = before.filter((line) => !after.includes(line));
  const come = after.filter((line) => !before.includes(line));
  for (const line of gone) terminal.print(terminal.paint('red', `  - ${toPlainText(line.trim())}`));
  for (const line of come) terminal.print(terminal.paint('green', `  + ${toPlainText(line.trim())}`));
}

/** Whether the files may be changed now. */
export async function mayChange({ values }: Which, terminal: Terminal): Promise<boolean> {
  if (values['dry-run']) return false;
  if (values.yes) return true;
  if (terminal.json || !terminal.keyboard.canAsk) {
    throw new TaskError(
      'USAGE',
      'nothing was changed, because nobody can be asked; say --yes, or --dry-run to only look',
    );
  }
  const answer = await terminal.keyboard.ask('Change these files? (y/N) ');
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
