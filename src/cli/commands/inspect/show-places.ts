import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPERATOR } from '../../../engine/task-client.ts';
import { resolveStateDirectory } from '../../../store/sqlite/directory.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { toLedgerPath } from '../../stores/state-dir.ts';
import { readStranded } from '../../stores/stranded-tasks.ts';
import { toTable } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { toWorkersJson, toWorkersText } from '../../terminal/worker-text.ts';
import { type OpenPlace, visitStores } from '../tasks/with-store.ts';
import type { WhereContext } from './inspect-commands.ts';

const OPEN = ['queued', 'working', 'input_required'] as const;
// Beyond this many, the exact number does not matter.
const MAX_COUNT = 1000;

interface ShownStore {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** How many tasks have each status that is not terminal; 1000 means "1000 or more". */
  readonly open: Readonly<Record<(typeof OPEN)[number], number>>;
  readonly workers: readonly object[];
  readonly workersText: string;
  readonly stranded: readonly object[];
}

/** Shows where the stores, the ledger of calls and the trusted servers are stored. */
export async function showPlaces({ values, terminal }: WhereContext): Promise<number> {
  const stores: ShownStore[] = [];
  const code = await visitStores({ values, terminal }, async (open) => void stores.push(await inspectStore(open)));
  const ledger = toLedgerPath(values);
  const places = [
    { kind: 'state', path: resolveStateDirectory() },
    { kind: 'calls', path: ledger },
    { kind: 'trusted', path: join(dirname(toLedgerPath({})), 'trusted.json') },
  ].map((place) => ({ ...place, exists: existsSync(place.path) }));
  if (terminal.json) {
    for (const place of places) terminal.printJson(place);
    for (const { workersText: _, ...store } of stores) terminal.printJson({ kind: 'store', ...store });
    return code;
  }
  for (const { kind, path, exists } of places) {
    terminal.print(`${SAYS[kind as keyof typeof SAYS]}  ${toPlainText(path)}${exists ? '' : ' (not there yet)'}`);
  }
  printStores(stores, terminal);
  return code;
}

const SAYS = { state: 'Stores lie in  ', calls: 'Calls          ', trusted: 'Trusted servers' };
const HEAD = ['STORE', 'OPEN TASKS', 'SIZE', 'WORKERS'];

function printStores(stores: readonly ShownStore[], terminal: Terminal): void {
  terminal.print('');
  if (stores.length === 0) terminal.print('No server of this user has kept tasks yet.');
  else {
    const rows = stores.map(({ name, open, bytes, workersText }) => {
      return [toPlainText(name), toOpenText(open), toSizeText(bytes), workersText];
    });
    for (const line of toTable(HEAD, rows)) terminal.print(line);
  }
}

async function inspectStore({ place, store, access }: OpenPlace): Promise<ShownStore> {
  const counts = await Promise.all(
    OPEN.map(async (status) => {
      const { tasks } = await access.list({ status, limit: MAX_COUNT }, { principal: OPERATOR });
      return [status, tasks.length] as const;
    }),
  );
  const workers = await store.workers.list();
  const stranded = await readStranded(store);
  return {
    ...place,
    bytes: statSync(place.path).size,
    open: Object.fromEntries(counts) as ShownStore['open'],
    workers: toWorkersJson(workers),
    workersText: toPlainText(toWorkersText(workers)?.replace('workers: ', '') ?? 'none'),
    stranded: stranded.map(({ name, identity, tool, count, why, heir }) => {
      return { name, identity, tool, count, why, ...(heir && { heir: heir.identity }) };
    }),
  };
}

function toOpenText({ queued, working, input_required: asking }: ShownStore['open']): string {
  const parts = [
    [working, 'working'],
    [asking, 'waiting for an answer'],
    [queued, 'queued'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0);
  const toCount = (count: number) => (count >= MAX_COUNT ? `${MAX_COUNT} or more` : String(count));
  return shown.length === 0 ? 'none' : shown.map(([count, what]) => `${toCount(count)} ${what}`).join(', ');
}

function toSizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
