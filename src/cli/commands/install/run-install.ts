import { findPlace } from '../../../gateway/clients/client-table.ts';
import { applyInstall, type InstallRequest, type PlannedFile, planInstall } from '../../../gateway/clients/install.ts';
import type { PlannedServer } from '../../../gateway/clients/rewrite-config.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { checkWhich, chooseClients, findRecordDirectory, mayChange, showChange } from './change-clients.ts';
import type { InstallContext } from './install-commands.ts';
import { findOwnCommand } from './own-command.ts';

/** Shows the planned changes, asks for confirmation, and applies them. */
export async function runInstall(context: InstallContext): Promise<number> {
  const { args, values, terminal } = context;
  checkWhich(context, 'install');
  const gateway = findOwnCommand(values.command);
  const request = { clients: chooseClients(values), place: findPlace(), names: args, gateway };
  const files = (await planInstall(request)).filter(({ servers }) => servers.length > 0);
  const changed = files.filter(({ changes }) => changes.length > 0);
  if (!terminal.json) showFiles(terminal, files);
  const isChanged = changed.length > 0 && (await mayChange(context, terminal));
  const backups = isChanged ? await applyAll(changed, request) : [];
  if (terminal.json) for (const file of files) terminal.printJson({ ...toShown(file), changed: isChanged });
  else tellEnd(terminal, { changed, isChanged, backups });
  return 0;
}

async function applyAll(files: readonly PlannedFile[], request: InstallRequest): Promise<string[]> {
  const directory = findRecordDirectory();
  const backups: string[] = [];
  for (const file of files) {
    const backup = await applyInstall(file, { ...request, directory });
    if (backup !== undefined) backups.push(backup);
  }
  return backups;
}

function showFiles(terminal: Terminal, files: readonly PlannedFile[]): void {
  if (files.length === 0) terminal.print('No client on this machine names a server.');
  for (const file of files) {
    terminal.print(terminal.paint('bold', `${file.client.title}: ${file.file}`));
    for (const planned of file.servers) showServer(terminal, planned, file);
  }
}

function showServer(terminal: Terminal, { server, plan }: PlannedServer, { changes }: PlannedFile): void {
  const name = toPlainText(server.name);
  if (plan.kind === 'already') terminal.print(`  ${name}: behind the gateway already`);
  if (plan.kind === 'refused') terminal.print(`  ${name}: left as it is: ${plan.why}`);
  const change = changes.find(({ path }) => JSON.stringify(path) === JSON.stringify(server.path));
  if (!change) return;
  terminal.print(`  ${name}`);
  showChange(terminal, change);
}

interface End {
  readonly changed: readonly PlannedFile[];
  readonly isChanged: boolean;
  readonly backups: readonly string[];
}

function tellEnd(terminal: Terminal, { changed, isChanged, backups }: End): void {
  if (!isChanged) terminal.remark(changed.length === 0 ? 'There is nothing to change.' : 'Nothing was changed.');
  if (!isChanged) return;
  for (const backup of backups) terminal.remark(`Kept as it was: ${backup}`);
  terminal.remark('Restart the client. `holdfast uninstall --all` puts everything back.');
}

function toShown({ client, file, servers }: PlannedFile) {
  const shown = servers.map(({ server: { name }, plan }) => ({
    name,
    plan: plan.kind,
    ...(plan.kind === 'refused' && { why: plan.why }),
  }));
  return { client: client.name, file, servers: shown };
}
