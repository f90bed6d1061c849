/** `holdfast install`: puts servers of clients behind the gateway. */
import { TaskError } from '../../errors.ts';
import { changeFile, readConfigText } from './change-file.ts';
import type { ClientConfig, ClientPlace } from './client-table.ts';
import { addChanges, keepBackup, readRecord, writeRecord } from './install-record.ts';
import type { GatewayCommand } from './plan-entry.ts';
import { type EntryChange, listChanges, listConfigServers, type PlannedServer, planConfig } from './rewrite-config.ts';

export interface InstallRequest {
  readonly clients: readonly ClientConfig[];
  readonly place: ClientPlace;
  /** Names of the servers to install; all when empty. */
  readonly names: readonly string[];
  readonly gateway: GatewayCommand;
}

/** One file, and its planned changes. */
export interface PlannedFile {
  readonly client: ClientConfig;
  readonly file: string;
  readonly servers: readonly PlannedServer[];
  readonly changes: readonly EntryChange[];
}

/** Plans changes without writing any file. Throws when a name occurs in no file. */
export async function planInstall(request: InstallRequest): Promise<readonly PlannedFile[]> {
  const { clients, place } = request;
  const planned: PlannedFile[] = [];
  const known: string[] = [];
  for (const client of clients) {
    for (const file of new Set(client.files(place))) {
      const config = await readConfigText(file);
      if (!config) continue;
      const all = { client, file, text: config.text };
      known.push(...listConfigServers(all).map(({ name }) => name));
      const plan = planConfig(all, toWish(request));
      planned.push({ client, file, servers: plan.servers, changes: listChanges(all, plan) });
    }
  }
  checkNames(request.names, known);
  return planned;
}

/** Applies the planned changes to one file; returns the path of its backup. */
export async function applyInstall(
  { client, file }: PlannedFile,
  request: InstallRequest & { readonly directory: string },
): Promise<string | undefined> {
  const { directory } = request;
  let backup: string | undefined;
  await changeFile(file, async ({ text, bytes }) => {
    const config = { client, file, text };
    const plan = planConfig(config, toWish(request));
    const changes = [...listChanges(config, plan)].map((change) => ({ ...change, path: [...change.path] }));
    if (changes.length === 0) return text;
    backup = await keepBackup(directory, file, bytes);
    await writeRecord(directory, addChanges(await readRecord(directory), { client: client.name, file, changes }));
    return plan.text;
  });
  return backup;
}

function toWish({ gateway, names }: Pick<InstallRequest, 'gateway' | 'names'>) {
  return { gateway, isWanted: ({ name }: { readonly name: string }) => names.length === 0 || names.includes(name) };
}

function checkNames(names: readonly string[], known: readonly string[]): void {
  const missing = names.find((name) => !known.includes(name));
  if (missing === undefined) return;
  const expected =
    known.length > 0 ? `known are ${[...new Set(known)].join(', ')}` : 'no client on this machine names one';
  throw new TaskError('SERVER_NOT_FOUND', `there is no server ${JSON.stringify(missing)}; ${expected}`);
}
