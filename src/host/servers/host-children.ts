/**
 * The child processes that serve this host, and those that dead hosts left behind.
 *
 * A child is noted in the ledger before it is started, with a mark that it carries in its environment. So whenever its host is
 * killed, the mark is on disk before the process exists, and the next host that opens the ledger can find the child, and nothing
 * else, by it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskError } from '../../errors.ts';
import { currentSession, endMarked, findOwnSession, MARK_VARIABLE } from '../../process/marked-processes.ts';
import { toProcessRef } from '../../process/process-ref.ts';
import type { ChildNote, ChildNotes } from '../ledger/contract.ts';
import { isLost, toOwner } from '../ledger/owner.ts';
import type { HostChild } from '../transports/child-transport.ts';

export interface HostChildrenOptions {
  /** Where children are noted; `undefined` when the ledger ends with this process. */
  readonly notes: ChildNotes | undefined;
  readonly owner: string;
  report(error: unknown): void;
}

/** Notes in the ledger about a server that a keeper runs. */
export interface KeptNotes {
  /** Called before this process starts the server. */
  starts(mark: string): Promise<void>;
  /** Makes the keeper the owner of the server, whatever happens to this process. */
  keeps(mark: string, pids: { readonly keeper: number; readonly pid: number }): Promise<void>;
  runs(mark: string, pid: number): void;
  ends(mark: string): void;
}

// The same grace period as a live host gives its servers: their stdin was closed, and they may want to finish something.
const GRACE_MS = 2000;
// While a process is being spawned, it shows the environment of its parent for a moment.
const SECOND_LOOK_MS = 1000;

export class HostChildren {
  readonly #options: HostChildrenOptions;
  readonly #writes = new Set<Promise<void>>();

  constructor(options: HostChildrenOptions) {
    this.#options = options;
  }

  /** Prepares the note and the environment of a child that is about to be started. */
  prepare(server: string): HostChild {
    const { notes, owner } = this.#options;
    if (!notes) return UNNOTED;
    const mark = randomUUID();
    const session = currentSession();
    return {
      env: { [MARK_VARIABLE]: mark },
      starts: () => notes.add({ mark, server, owner, ...(session !== undefined && { session }) }),
      runs: (pid) => this.#write(notes.setProcess(mark, toProcessRef(pid))),
      ends: () => this.#write(notes.remove(mark)),
    };
  }

  /**
   * Prepares the notes of a server that is started for a keeper: once the keeper owns it, it is left running while the keeper
   * lives.
   */
  prepareKept(server: string): KeptNotes {
    const { notes, owner } = this.#options;
    return {
      // The server gets a session of its own, whose number is not known before it runs.
      starts: async (mark) => notes?.add({ mark, server, owner }),
      keeps: async (mark, { keeper, pid }) => {
        const session = process.platform === 'linux' ? { session: pid } : {};
        await notes?.add({ mark, server, owner: toOwner(toProcessRef(keeper)), ...session });
        this.#write(notes?.setProcess(mark, toProcessRef(pid)));
      },
      runs: (mark, pid) => this.#write(notes?.setProcess(mark, toProcessRef(pid))),
      ends: (mark) => this.#write(notes?.remove(mark)),
    };
  }

  /**
   * Ends the children of hosts that are gone. Children of a live host, or of one that cannot be checked from here, are left
   * running.
   */
  async endLeft(): Promise<void> {
    const { notes, report } = this.#options;
    if (!notes) return;
    const left = (await notes.list()).filter(({ owner }) => isLost(owner) === true);
    await Promise.all(left.map((child) => this.#end(child, notes).catch(report)));
  }

  /** Resolves when all notes about the children are on disk. */
  async whenWritten(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #end({ process: ref, ...child }: ChildNote, notes: ChildNotes): Promise<void> {
    const { mark } = child;
    const look = () => child.session ?? findOwnSession(mark);
    const marked = { mark, session: look(), ref };
    let isGone = await endMarked(marked, { graceMs: GRACE_MS });
    if (isGone && !ref) {
      await delay(SECOND_LOOK_MS);
      // The session is not searched for again once it was found: the oldest remaining process would be one that the child
      // started.
      isGone = await endMarked({ ...marked, session: marked.session ?? look() }, { graceMs: GRACE_MS });
    }
    if (isGone) return notes.remove(mark);
    const what = `server ${child.server}, which a host that is gone had started, cannot be ended`;
    throw new TaskError('INTERNAL', `${what}${ref ? ` (pid ${ref.pid})` : ''}`);
  }

  #write(writing: Promise<void> = Promise.resolve()): void {
    // The mark is on disk, which is enough; the next host that opens the ledger removes a stale note.
    const done = writing.catch(() => {}).finally(() => this.#writes.delete(done));
    this.#writes.add(done);
  }
}

const UNNOTED: HostChild = { env: {}, starts: async () => {}, runs: () => {}, ends: () => {} };
