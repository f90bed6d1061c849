/** Reports the servers in the config files of this machine's clients, without changing anything. */
import { isTaskError } from '../../errors.ts';
import { readConfigText } from './change-file.ts';
import type { ClientConfig, ClientPlace } from './client-table.ts';
import { findField, type ObjectNode } from './config-node.ts';
import { type ClientServer, findGatewayWords } from './find-servers.ts';
import { listConfigServers } from './rewrite-config.ts';

export interface ExaminedFile {
  readonly client: ClientConfig;
  readonly file: string;
  readonly servers: readonly ExaminedServer[];
  /** Why the file could not be read. */
  readonly fault?: string;
}

export interface ExaminedServer {
  readonly name: string;
  /** How the client reaches the server; `unknown` when the gateway could not reach it, with the reason in `why`. */
  readonly reached: 'gateway' | 'program' | 'url' | 'unknown';
  readonly why?: string;
  /** The client's timeout for a call, in ms; `null` for no timeout. */
  readonly giveUpMs: number | null;
}

/** Examines every config file of these clients that exists. */
export async function examineClients(
  clients: readonly ClientConfig[],
  place: ClientPlace,
): Promise<readonly ExaminedFile[]> {
  const files = clients.flatMap((client) => [...new Set(client.files(place))].map((file) => ({ client, file })));
  const examined = await Promise.all(files.map(({ client, file }) => examineFile(client, file)));
  return examined.filter((one) => one !== undefined);
}

async function examineFile(client: ClientConfig, file: string): Promise<ExaminedFile | undefined> {
  try {
    const config = await readConfigText(file);
    if (!config) return undefined;
    const servers = listConfigServers({ client, file, text: config.text });
    return { client, file, servers: servers.map((server) => examineServer(client, server)) };
  } catch (error) {
    if (!isTaskError(error)) throw error;
    return { client, file, servers: [], fault: error.message };
  }
}

function examineServer(client: ClientConfig, { name, entry, endpoint }: ClientServer): ExaminedServer {
  const giveUpMs = readLimit(client, entry);
  if (endpoint.kind === 'unknown') return { name, reached: 'unknown', why: endpoint.why, giveUpMs };
  const isBehind = endpoint.kind === 'program' && findGatewayWords(endpoint.words) !== undefined;
  return { name, reached: isBehind ? 'gateway' : endpoint.kind, giveUpMs };
}

function readLimit({ limit, giveUpMs }: ClientConfig, entry: ObjectNode): number | null {
  const value = limit && findField(entry, limit.field)?.value;
  const number = value?.kind === 'scalar' && typeof value.value === 'number' ? value.value : undefined;
  return number === undefined || !limit ? giveUpMs : number * limit.unitMs;
}
