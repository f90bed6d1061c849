/**
 * Starts the keeper of a server before the host is loaded that will use it.
 *
 * A server may take as long to start as everything here takes to load, so both are done at once. It imports no SDK. Whatever
 * goes wrong is left to the host, which finds no keeper then, starts one, and says what is wrong.
 */
import { HOST_MAX_ANSWER_BYTES } from '../limits.ts';
import { currentProcess } from '../process/process-ref.ts';
import { findObstacle, reachKeeper } from './keeper/start-keeper.ts';
import { toOwner } from './ledger/owner.ts';
import { openSqliteLedger } from './ledger/sqlite-ledger.ts';
import { HostChildren, type KeptNotes } from './servers/host-children.ts';
import type { StdioSpec } from './transports/server-spec.ts';

export interface AheadOptions {
  /** As the host will name it. */
  readonly name: string;
  /** As the host will be given it. */
  readonly spec: StdioSpec;
  /** The file of the host's ledger. */
  readonly ledger: string;
}

/** Resolves as soon as the keeper has its order, or there is nothing more to do here. Never rejects. */
export async function startAhead(options: AheadOptions): Promise<void> {
  if (findObstacle() !== undefined) return;
  await new Promise<void>((resolve) => {
    start(options, resolve)
      .catch(() => {})
      .finally(resolve);
  });
}

async function start({ name, spec, ledger: path }: AheadOptions, onOrdered: () => void): Promise<void> {
  const ledger = openSqliteLedger({ path });
  try {
    const children = new HostChildren({ notes: ledger.children, owner: toOwner(currentProcess()), report: () => {} });
    // An older one of the same server may hold what a new one needs.
    await children.endLeft();
    const kept = children.prepareKept(name);
    const notes: KeptNotes = {
      ...kept,
      async keeps(...noted) {
        await kept.keeps(...noted);
        // The server runs, and its keeper gets its order next.
        setImmediate(onOrdered);
      },
    };
    const keeping = { canWrite: true, maxAnswerBytes: HOST_MAX_ANSWER_BYTES };
    const line = await reachKeeper({ name, spec, ledger: path, notes, ...keeping });
    // It waits for the host a while.
    if ('socket' in line) line.socket.destroy();
    await children.whenWritten();
  } finally {
    await ledger.close();
  }
}
