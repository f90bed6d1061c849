import { resolve } from 'node:path';
import { handBack } from '../../../engine/recovery/hand-back.ts';
import { TaskError } from '../../../errors.ts';
import type { Store } from '../../../store/contract.ts';
import { type Copied, copyStore as copy } from '../../../store/copy/copy-store.ts';
import type { CopySide } from '../../../store/copy/side.ts';
import { openSqliteSide } from '../../../store/copy/sqlite-side.ts';
import { openSqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { reportFailure } from '../../failure.ts';
import { toDatabasePath } from '../../stores/open-store.ts';
import { findStoreAddress, type StoreAddress } from '../../stores/store-address.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { StoreCopyContext, StoreReopenContext } from './task-commands.ts';

const PATIENCE_MS = 60_000;

/** A store given by path or address. */
type Place = { readonly path: string } | StoreAddress;

/** Copies a store to another place and closes the old one. */
export async function copyStore(context: StoreCopyContext): Promise<number> {
  const [from = '', to = ''] = context.args;
  const [source, target] = [toPlace(from), toPlace(to)];
  if (JSON.stringify(source) === JSON.stringify(target)) {
    throw new TaskError('USAGE', 'FROM and TO are the same store; expected two');
  }
  const sides: CopySide[] = [];
  try {
    sides.push(await openSide(source, { create: false }), await openSide(target, { create: true }));
    const [one, other] = sides as [CopySide, CopySide];
    const copied = await copy(one, other, { now: await freeStore(source, one, context) });
    show({ ...copied, from: one.place, to: other.place }, context.terminal);
    return 0;
  } finally {
    await Promise.all(sides.map((side) => side.dispose()));
  }
}

/** Allows a store that a copy has closed to be used again. */
export async function reopenStore({ args: [given = ''], terminal }: StoreReopenContext): Promise<number> {
  const side = await openSide(toPlace(given), { create: false });
  try {
    const other = (await side.mark('source'))?.other;
    if (!(await side.reopen())) {
      throw new TaskError('USAGE', `${side.place} was not closed by a copy from it; expected one that was`);
    }
    if (terminal.json) terminal.printJson({ place: side.place, other });
    else terminal.print(`${side.place} can be used again; what was copied to ${other} stays there`);
    return 0;
  } finally {
    await side.dispose();
  }
}

/** Hands back the running tasks, unless the store is already closed; returns a clock for the store's time. */
async function freeStore(place: Place, side: CopySide, { terminal }: StoreCopyContext): Promise<() => number> {
  if ((await side.mark('source')) !== undefined) return Date.now;
  const store = await openPlace(place);
  try {
    const report = (error: unknown) => void reportFailure(error, terminal);
    await handBack(store, { place: side.place, patienceMs: PATIENCE_MS, report });
    const { now } = store.time();
    return () => now;
  } finally {
    await store.close();
  }
}

async function openPlace(place: Place): Promise<Store> {
  if ('path' in place) return openSqliteStore({ path: place.path, create: false });
  const { openPostgresStore } = await import('../../../store/postgres/postgres-store.ts');
  return openPostgresStore({ ...place, migrate: false });
}

async function openSide(place: Place, options: { readonly create: boolean }): Promise<CopySide> {
  if ('path' in place) return openSqliteSide(place.path, options);
  const { openPostgresSide } = await import('../../../store/copy/postgres-side.ts');
  return openPostgresSide(place, options);
}

function toPlace(store: string): Place {
  return findStoreAddress({ store }) ?? { path: resolve(toDatabasePath({ store })) };
}

function show(done: Copied & { readonly from: string; readonly to: string }, terminal: Terminal): void {
  const { from, to, tables, wasDone } = done;
  if (terminal.json) {
    terminal.printJson({ from, to, wasDone, tables });
    return;
  }
  for (const [name, { rows, hash }] of Object.entries(tables)) {
    if (rows > 0) terminal.print(`${name.padEnd(12)} ${String(rows).padStart(10)}  ${hash.slice(0, 16)}`);
  }
  const use = wasDone ? 'before' : 'and the same is there; use that one from now on';
  terminal.print(`${from} was copied to ${to} ${use}`);
}
