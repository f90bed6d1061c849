import { type Audit, findAudit } from '../../../engine/audit.ts';
import { connectTaskClient, type TaskClient } from '../../../engine/task-client.ts';
import type { Store } from '../../../store/contract.ts';
import type { CommandContext } from '../../command-line/command.ts';
import type { STORE, StoreValues } from '../../command-line/shared-options.ts';
import { reportFailure } from '../../failure.ts';
import { findTasks, pickTask } from '../../stores/find-task.ts';
import { listStores, type StorePlace } from '../../stores/list-stores.ts';
import { openStore, toDatabasePath } from '../../stores/open-store.ts';
import { findStoreAddress, toShownAddress, toStoreText } from '../../stores/store-address.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The context of a command with an open store. */
export type WithStore<Context> = Context & {
  readonly store: Store;
  readonly access: TaskClient;
  /** The audit log of who did what, if one is kept. */
  readonly audit: Audit | undefined;
};

export interface WithStoreOptions<Context> {
  /** A read-only command never migrates the schema under the servers that use the store. */
  readonly readOnly: boolean;
  readonly run: (context: WithStore<Context>) => Promise<number>;
}

type StoreContext = CommandContext<typeof STORE>;

/** Opens the store that a command line names and runs the command on it; returns its exit code. */
export async function withStore<Context extends StoreContext>(
  context: Context,
  { readOnly, run }: WithStoreOptions<Context>,
): Promise<number> {
  const store = await openStore(context.values, { readOnly });
  try {
    const report = (error: unknown) => void reportFailure(error, context.terminal);
    const audit = readOnly ? undefined : findAudit(store.directory, report);
    return await run({ ...context, store, audit, access: connectTaskClient(store, { audit }) });
  } finally {
    await store.close();
  }
}

/** Like `withStore`, but unless the command line names a store, finds the one that has the task of the first argument. */
export async function withTask<Context extends StoreContext>(
  context: Context,
  options: WithStoreOptions<Context>,
): Promise<number> {
  if (isNamed(context.values)) return withStore(context, options);
  const [ref = '', ...rest] = context.args;
  const { taskId, path } = await findEverywhere(ref, context);
  return withStore({ ...context, args: [taskId, ...rest], values: { ...context.values, store: path } }, options);
}

/** An open store and its location. */
export interface OpenPlace {
  readonly place: StorePlace;
  readonly store: Store;
  readonly access: TaskClient;
}

/**
 * Visits the store that a command line names, or else all stores of this user; returns the worst exit code of those that
 * fail.
 */
export async function visitStores(
  { values, terminal }: { readonly values: StoreValues; readonly terminal: Terminal },
  visit: (open: OpenPlace) => Promise<void>,
): Promise<number> {
  if (isNamed(values)) {
    await visitOne(toNamedPlace(values), values, visit);
    return 0;
  }
  let worst = 0;
  for (const place of listStores()) {
    // A store that cannot be read must not keep the others from being shown.
    const { name: _, ...rest } = values;
    await visitOne(place, { ...rest, store: place.path }, visit).catch((error: unknown) => {
      worst = Math.max(worst, reportFailure(error, terminal));
    });
  }
  return worst;
}

/** Whether the command line or the environment names a store. */
export function isNamed(values: StoreValues): boolean {
  return toStoreText(values) !== undefined || values.name !== undefined;
}

function toNamedPlace(values: StoreValues): StorePlace {
  const address = findStoreAddress(values);
  if (address) return { name: toShownAddress(address), path: toShownAddress(address) };
  const path = toDatabasePath(values);
  return { name: values.name ?? path, path };
}

async function visitOne(place: StorePlace, values: StoreValues, visit: (open: OpenPlace) => Promise<void>) {
  const store = await openStore(values, { readOnly: true });
  try {
    await visit({ place, store, access: connectTaskClient(store, {}) });
  } finally {
    await store.close();
  }
}

async function findEverywhere(ref: string, context: StoreContext): Promise<{ taskId: string; path: string }> {
  const found: { taskId: string; path: string }[] = [];
  await visitStores(context, async ({ place, access }) => {
    const tasks = await findTasks(access, ref);
    found.push(...tasks.map(({ taskId }) => ({ taskId, path: place.path })));
  });
  return pickTask(found, ref);
}
