import { join } from 'node:path';
import type { Restored } from '../../../gateway/clients/rewrite-config.ts';
import { applyUninstall, planUninstall, type RestoredFile } from '../../../gateway/clients/uninstall.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { checkWhich, chooseClients, findRecordDirectory, mayChange, showChange } from './change-clients.ts';
import type { UninstallContext } from './install-commands.ts';

/** Shows the entries to be restored, asks for confirmation, and restores them. */
export async function runUninstall(context: UninstallContext): Promise<number> {
  const { args, values, terminal } = context;
  checkWhich(context, 'uninstall');
  const directory = findRecordDirectory();
  const request = { clients: chooseClients(values), names: args, directory };
  const files = await planUninstall(request);
  if (!terminal.json) showFiles(terminal, files, directory);
  const isChanged = files.length > 0 && (await mayChange(context, terminal));
  if (isChanged) for (const file of files) await applyUninstall(file, request);
  if (terminal.json) for (const file of files) terminal.printJson({ ...toShown(file), changed: isChanged });
  else if (files.length > 0) terminal.remark(isChanged ? 'Restart the client.' : 'Nothing was changed.');
  const isWhole = files.every(({ entries }) => entries.every(({ restored }) => restored !== 'changed'));
  return isWhole ? 0 : 1;
}

function showFiles(terminal: Terminal, files: readonly RestoredFile[], directory: string): void {
  if (files.length === 0) terminal.print('No server of a client is behind the gateway.');
  for (const { client, file, entries } of files) {
    terminal.print(terminal.paint('bold', `${client.title}: ${file}`));
    for (const entry of entries) showEntry(terminal, entry, directory);
  }
}

function showEntry(terminal: Terminal, entry: RestoredFile['entries'][number], directory: string): void {
  const { path, was, wrote, restored } = entry;
  terminal.print(`  ${toPlainText(path.at(-1) ?? '')}${toRemark(restored, directory)}`);
  if (restored === 'exactly' || restored === 'in meaning') showChange(terminal, { path, was: wrote, wrote: was });
}

function toRemark(restored: Restored, directory: string): string {
  switch (restored) {
    case 'exactly':
      return '';
    case 'in meaning':
      return ' (the client wrote its file anew since)';
    case 'gone':
      return ': not there any more';
    case 'changed':
      return `: left as it is, because it was changed since; the file as it was is in ${join(directory, 'backups')}`;
  }
}

function toShown({ client, file, entries }: RestoredFile) {
  return {
    client: client.name,
    file,
    servers: entries.map(({ path, restored }) => ({ name: path.at(-1) ?? '', restored })),
  };
}
