import { type Audit, findAudit } from '../../../engine/audit.ts';
import { connectTaskClient, type TaskClient } from '../../../engine/task-client.ts';
import type { Store } from '../../../store/contract.ts';
import type { CommandContext } from '../../command-line/command.ts';
import type { STORE } from '../../command-line/shared-options.ts';
import { reportFailure } from '../../failure.ts';
import { openStore } from '../../stores/open-store.ts';

/** The context of a command on an open store. */
export type WithStore<Context> = Context & {
  readonly store: Store;
  readonly access: TaskClient;
  /** Where it is kept who does what, if it is. */
  readonly audit: Audit | undefined;
};

export interface WithStoreOptions<Context> {
  /** A command that only looks never migrates the store under the servers that run on it. */
  readonly readOnly: boolean;
  readonly run: (context: WithStore<Context>) => Promise<number>;
}

/** Opens the store that a command line names and runs the command on it; returns its exit code. */
export async function withStore<Context extends CommandContext<typeof STORE>>(
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
