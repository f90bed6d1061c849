/**
 * Starts the keeper of a server before the host that will use it is loaded.
 *
 * A server may take as long to start as this program takes to load, so both run in parallel. This module imports no SDK. It
 * ignores errors: the host then finds no keeper, starts one itself, and reports what is wrong.
 */
import { HOST_MAX_ANSWER_BYTES } from '../limits.ts';
import { currentProcess } from '../process/process-ref.ts';
import { connectOrStartKeeper, findUnsupportedReason } from './keeper/start-keeper.ts';
import { toOwner } from './ledger/owner.ts';
import { openSqliteLedger } from './ledger/sqlite-ledger.ts';
import { HostChildren, type KeptNotes } from './servers/host-children.ts';
import type { StdioSpec } from './transports/server-spec.ts';

export interface PrestartOptions {
  /** The server's name, as the host will use it. */
  readonly name: string;
  /** The server's spec, as the host will get it. */
  readonly spec: StdioSpec;
  /** The path of the host's ledger file. */
  readonly ledger: string;
}

/** Resolves when the keeper is about to get its order, or when there is nothing more to do here. Never rejects. */
export async function prestartKeeper(options: PrestartOptions): Promise<void> {
  if (findUnsupportedReason() !== undefined) return;
  await new Promise<void>((resolve) => {
    start(options, resolve)
      .catch(() => {})
      .finally(resolve);
  });
}

async function start({ name, spec, ledger: path }: PrestartOptions, onOrdered: () => void): Promise<void> {
  const ledger = openSqliteLedger({ path });
  try {
    const children = new HostChildren({ notes: ledger.children, owner: toOwner(currentProcess()), report: () => {} });
    // A server process left behind by a dead host may hold a resource, such as a lock, that the new one needs.
    await children.endLeft();
    const kept = children.prepareKept(name);
    const notes: KeptNotes = {
      ...kept,
      async keeps(...noted) {
        await kept.keeps(...noted);
        // The server runs; right after this the keeper gets its order.
        setImmediate(onOrdered);
      },
    };
    const keeping = { canWrite: true, maxAnswerBytes: HOST_MAX_ANSWER_BYTES };
    const line = await connectOrStartKeeper({ name, spec, ledger: path, notes, ...keeping });
    // The keeper waits a while for its first host.
    if ('socket' in line) line.socket.destroy();
    await children.whenWritten();
  } finally {
    await ledger.close();
  }
}
