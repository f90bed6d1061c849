/** `holdfast uninstall`: restores the entries of clients. */
import { TaskError } from '../../errors.ts';
import { changeFile, readConfigText } from './change-file.ts';
import { CLIENTS, type ClientConfig } from './client-table.ts';
import { type InstalledFile, readRecord, writeRecord } from './install-record.ts';
import { type RestoredConfig, restoreConfig } from './rewrite-config.ts';

export interface UninstallRequest {
  /** The clients whose entries are restored. */
  readonly clients: readonly ClientConfig[];
  /** Names of the servers to restore; all when empty. */
  readonly names: readonly string[];
  readonly directory: string;
}

/** One file, and how its entries would be restored. */
export interface RestoredFile {
  readonly client: ClientConfig;
  readonly file: string;
  readonly entries: RestoredConfig['entries'];
}

/** Plans the restore for every changed file, and writes none. */
export async function planUninstall(request: UninstallRequest): Promise<readonly RestoredFile[]> {
  const installed = (await readRecord(request.directory)).map((file) => toWanted(file, request));
  const known = installed.flatMap(({ changes }) => changes.map(toName));
  const missing = request.names.find((name) => !known.includes(name));
  if (missing !== undefined) {
    const expected = known.length > 0 ? `behind it are ${known.join(', ')}` : 'there is none behind it';
    throw new TaskError('SERVER_NOT_FOUND', `${JSON.stringify(missing)} is not behind the gateway; ${expected}`);
  }
  const wanted = installed.filter(({ changes }) => changes.length > 0);
  return Promise.all(wanted.map(planFile));
}

async function planFile(installed: InstalledFile): Promise<RestoredFile> {
  const { file, changes } = installed;
  const client = findClient(installed);
  const config = await readConfigText(file);
  if (config) return { client, file, entries: restoreConfig({ client, file, text: config.text }, changes).entries };
  return { client, file, entries: changes.map((change) => ({ ...change, restored: 'gone' as const })) };
}

/** Restores the entries of one file, and drops the finished ones from the record. */
export async function applyUninstall(planned: RestoredFile, request: UninstallRequest): Promise<void> {
  const { client, file } = planned;
  let { entries } = planned;
  if ((await readConfigText(file)) !== undefined) {
    await changeFile(file, ({ text }) => {
      const restored = restoreConfig({ client, file, text }, planned.entries);
      entries = restored.entries;
      return restored.text;
    });
  }
  const done = new Set(entries.flatMap(({ path, restored }) => (restored === 'changed' ? [] : [JSON.stringify(path)])));
  const files = await readRecord(request.directory);
  const left = files.map((one) =>
    one.file === file && one.client === client.name
      ? { ...one, changes: one.changes.filter(({ path }) => !done.has(JSON.stringify(path))) }
      : one,
  );
  await writeRecord(request.directory, left);
}

function toWanted(file: InstalledFile, { clients, names }: UninstallRequest): InstalledFile {
  const isClient = clients.some(({ name }) => name === file.client);
  const changes = file.changes.filter((change) => isClient && (names.length === 0 || names.includes(toName(change))));
  return { ...file, changes };
}

function toName({ path }: { readonly path: readonly string[] }): string {
  return path.at(-1) ?? '';
}

function findClient({ client }: InstalledFile): ClientConfig {
  const found = CLIENTS.find(({ name }) => name === client);
  if (!found) throw new TaskError('INVALID_ARGUMENT', `there is no client ${JSON.stringify(client)}`);
  return found;
}
