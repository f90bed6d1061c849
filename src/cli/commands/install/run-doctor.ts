import { statSync } from 'node:fs';
import { OPERATOR } from '../../../engine/task-client.ts';
import { CLIENTS, findPlace } from '../../../gateway/clients/client-table.ts';
import { type ExaminedFile, type ExaminedServer, examineClients } from '../../../gateway/clients/examine.ts';
import type { Task } from '../../../task/record.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { toDurationText } from '../../command-line/duration.ts';
import { toTable } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type OpenPlace, visitStores } from '../tasks/with-store.ts';
import type { DoctorContext } from './install-commands.ts';

// A store with more tasks is judged by its newest ones.
const MAX_TASKS = 1000;
// The default timeout of most clients and SDKs.
const USUAL_LIMIT_MS = 60_000;

interface ToolTimes {
  readonly store: string;
  readonly path: string;
  readonly bytes: number;
  readonly tool: string;
  readonly calls: number;
  readonly longestMs: number;
  /** How many calls took longer than `limitMs`: without Holdfast their results would have been lost. */
  readonly saved: number;
  readonly limitMs: number;
}

/** Reports the MCP servers on this machine, and which calls would have been lost without the gateway. */
export async function runDoctor({ terminal }: DoctorContext): Promise<number> {
  const files = await examineClients(CLIENTS, findPlace());
  const times: ToolTimes[] = [];
  const toLimit = (name: string) => findLimit(files, name);
  const code = await visitStores(
    { values: {}, terminal },
    async (open) => void times.push(...(await timeTools(open, toLimit))),
  );
  if (terminal.json) printJson(terminal, files, times);
  else printAll(terminal, files, times);
  return code;
}

/** The shortest timeout among the clients that have a server of this name. */
function findLimit(files: readonly ExaminedFile[], name: string): number {
  const servers = files.flatMap((file) => file.servers).filter((server) => server.name === name);
  const limits = servers.map(({ giveUpMs }) => giveUpMs ?? Number.POSITIVE_INFINITY);
  return limits.length === 0 ? USUAL_LIMIT_MS : Math.min(...limits);
}

async function timeTools({ place, access }: OpenPlace, toLimit: (name: string) => number): Promise<ToolTimes[]> {
  const { tasks } = await access.list({ limit: MAX_TASKS }, { principal: OPERATOR });
  const limitMs = toLimit(place.name);
  const bytes = statSync(place.path).size;
  return [...groupByTool(tasks)].map(([tool, waits]) => ({
    store: place.name,
    path: place.path,
    bytes,
    tool,
    calls: waits.length,
    longestMs: Math.max(...waits),
    saved: waits.filter((ms) => ms > limitMs).length,
    limitMs,
  }));
}

/** The waiting time of each ended task's caller, by tool. */
function groupByTool(tasks: readonly Task[]): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const { tool, createdAt, endedAt } of tasks) {
    if (endedAt !== undefined) groups.set(tool, [...(groups.get(tool) ?? []), endedAt - createdAt]);
  }
  return groups;
}

function printJson(terminal: Terminal, files: readonly ExaminedFile[], times: readonly ToolTimes[]): void {
  for (const { client, file, servers, fault } of files) {
    terminal.printJson({ kind: 'client', client: client.name, file, servers, ...(fault !== undefined && { fault }) });
  }
  for (const one of times) terminal.printJson({ kind: 'tool', ...one });
}

function printAll(terminal: Terminal, files: readonly ExaminedFile[], times: readonly ToolTimes[]): void {
  if (files.length === 0) terminal.print('No MCP client of this user was found.');
  for (const { client, file, servers, fault } of files) {
    terminal.print(terminal.paint('bold', `${client.title}: ${toPlainText(file)}`));
    if (fault !== undefined) terminal.print(`  cannot be read: ${toPlainText(fault)}`);
    for (const server of servers) terminal.print(`  ${toPlainText(server.name)}: ${toServerText(server)}`);
  }
  terminal.print('');
  if (times.length === 0) terminal.print('No call has ended yet in a store of this user.');
  else printTimes(terminal, times);
  const isBare = files.some(({ servers }) => servers.some(({ reached }) => reached === 'program' || reached === 'url'));
  if (isBare) terminal.remark('`holdfast install --all` puts the others behind the gateway; --dry-run shows how.');
}

function printTimes(terminal: Terminal, times: readonly ToolTimes[]): void {
  const longest = [...times].sort((one, other) => other.longestMs - one.longestMs);
  const rows = longest.map(({ store, tool, calls, longestMs, saved, limitMs }) => [
    ...[toPlainText(store), toPlainText(tool), String(calls), toDurationText(longestMs)],
    saved === 0 ? '' : `${saved} took longer than ${toDurationText(limitMs)}`,
  ]);
  for (const line of toTable(['STORE', 'TOOL', 'CALLS', 'LONGEST', 'WOULD HAVE BEEN LOST'], rows)) terminal.print(line);
}

function toServerText({ reached, why, giveUpMs }: ExaminedServer): string {
  const limit =
    giveUpMs === null ? 'calls may take as long as they like' : `calls end after ${toDurationText(giveUpMs)}`;
  const says = { gateway: 'behind the gateway', program: 'not behind the gateway', url: 'not behind the gateway' };
  return reached === 'unknown' ? `cannot be put behind the gateway: ${why}` : `${says[reached]}; ${limit}`;
}
