/** Rewrites a client's config text so that servers are behind the gateway, and restores it. */
import type { ClientConfig } from './client-table.ts';
import { applyEdits, type Edit, type ObjectNode, toRegion } from './config-node.ts';
import { type ClientServer, findGatewayWords, listServers, type ProgramParts } from './find-servers.ts';
import { type EntryPlan, type GatewayCommand, planEntry } from './plan-entry.ts';

/** A server, and the plan for its entry. */
export interface PlannedServer {
  readonly server: ClientServer;
  readonly plan: EntryPlan;
}

export interface PlannedConfig {
  readonly servers: readonly PlannedServer[];
  readonly text: string;
}

/** The text of an entry before and after a change. */
export interface EntryChange {
  readonly path: readonly string[];
  readonly was: string;
  readonly wrote: string;
}

export interface Config {
  readonly client: ClientConfig;
  /** Path used in error messages. */
  readonly file: string;
  readonly text: string;
}

export function listConfigServers({ client, file, text }: Config): readonly ClientServer[] {
  return listServers(client, client.syntax.parse(text, file));
}

/** Plans the edits that put the servers selected by `isWanted` behind the gateway. */
export function planConfig(
  config: Config,
  wish: { readonly gateway: GatewayCommand; isWanted(server: ClientServer): boolean },
): PlannedConfig {
  const wanted = listConfigServers(config).filter((server) => wish.isWanted(server));
  const servers = wanted.map((server) => ({
    server,
    plan: planEntry(server, { client: config.client, gateway: wish.gateway }),
  }));
  const edits = servers.flatMap(({ plan }) => (plan.kind === 'change' ? plan.edits : []));
  return { servers, text: applyEdits(config.text, edits) };
}

/** Lists what was changed in each entry, so that it can be undone later. */
export function listChanges(config: Config, planned: PlannedConfig): readonly EntryChange[] {
  const now = new Map(
    listConfigServers({ ...config, text: planned.text }).map(({ path, entry }) => [JSON.stringify(path), entry]),
  );
  return planned.servers.flatMap(({ server: { path, entry }, plan }) => {
    const after = now.get(JSON.stringify(path));
    if (plan.kind !== 'change' || !after) return [];
    return [{ path, was: cut(config.text, entry), wrote: cut(planned.text, after) }];
  });
}

/** How an entry was restored: to the exact text, in meaning only, or not at all (entry `gone` or `changed` since). */
export type Restored = 'exactly' | 'in meaning' | 'gone' | 'changed';

export interface RestoredConfig {
  readonly text: string;
  readonly entries: readonly (EntryChange & { readonly restored: Restored })[];
}

/** Undoes changes in entries that still are as they were written. */
export function restoreConfig(config: Config, changes: readonly EntryChange[]): RestoredConfig {
  const servers = listConfigServers(config);
  const results = changes.map((change) => {
    const key = JSON.stringify(change.path);
    const server = servers.find(({ path }) => JSON.stringify(path) === key);
    return { ...change, ...restoreEntry(config, server, change) };
  });
  return {
    text: applyEdits(
      config.text,
      results.flatMap(({ edits }) => edits),
    ),
    entries: results.map(({ edits, ...entry }) => entry),
  };
}

interface RestoredEntry {
  readonly restored: Restored;
  readonly edits: readonly Edit[];
}

function restoreEntry({ text }: Config, server: ClientServer | undefined, change: EntryChange): RestoredEntry {
  if (!server) return { restored: 'gone', edits: [] };
  const { entry, endpoint } = server;
  if (cut(text, entry) === change.wrote) {
    return { restored: 'exactly', edits: [{ ...toRegion(entry), text: change.was }] };
  }
  // The client has rewritten its file since.
  const edits = endpoint.kind === 'program' ? takeOut(endpoint.words, endpoint.parts) : undefined;
  return edits ? { restored: 'in meaning', edits } : { restored: 'changed', edits: [] };
}

/** Removes the gateway's own arguments and keeps those of the server. */
function takeOut(words: readonly string[], { command, args }: ProgramParts): readonly Edit[] | undefined {
  const found = findGatewayWords(words);
  const program = found && words[found.own];
  // Without a program after `--`, the server was a URL.
  if (!found || program === undefined || words[found.own - 1] !== '--') return undefined;
  if (command.value.kind === 'array') return [dropItems(command.value.items, found.own)].flat();
  if (command.value.kind !== 'scalar' || args?.value.kind !== 'array') return undefined;
  const { start, end } = command.value;
  return [{ start, end, text: JSON.stringify(program) }, ...dropItems(args.value.items, found.own, args.value.end - 1)];
}

type Items = readonly { readonly kind: string; readonly start?: number; readonly end?: number }[];

/** Removes the first items of a list; `end` is the end of the list, needed when all items may be removed. */
function dropItems(items: Items, count: number, end?: number): Edit[] {
  const start = items[0]?.start;
  const next = items[count]?.start ?? end;
  return start === undefined || next === undefined ? [] : [{ start, end: next, text: '' }];
}

function cut(text: string, entry: ObjectNode): string {
  const { start, end } = toRegion(entry);
  return text.slice(start, end);
}
