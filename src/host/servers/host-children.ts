/**
 * The child processes that serve this host, and what dead hosts have left.
 *
 * A child is noted in the ledger before it is started, with a mark that it carries in its environment. So whenever its host
 * is killed, the mark is on disk before there is a process, and whoever opens the ledger next can find the child, and
 * nothing else, by it.
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
  /** Where children are noted; nowhere when the ledger ends with this process. */
  readonly notes: ChildNotes | undefined;
  readonly owner: string;
  report(error: unknown): void;
}

/** How others learn of a server that a keeper runs. */
export interface KeptNotes {
  /** Before the server is started, by this process. */
  starts(mark: string): Promise<void>;
  /** From now on it is the keeper's, whatever becomes of this process. */
  keeps(mark: string, pids: { readonly keeper: number; readonly pid: number }): Promise<void>;
  runs(mark: string, pid: number): void;
  ends(mark: string): void;
}

// As long as a host that lives gives its servers: their input has ended, and they may want to finish something.
const GRACE_MS = 2000;
// A process that is just being started shows the environment of its starter for a moment.
const SECOND_LOOK_MS = 1000;

export class HostChildren {
  readonly #options: HostChildrenOptions;
  readonly #writes = new Set<Promise<void>>();

  constructor(options: HostChildrenOptions) {
    this.#options = options;
  }

  /** A child to be. */
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

  /** A server that is started for a keeper: once it is the keeper's, it is let alone while that one lives. */
  prepareKept(server: string): KeptNotes {
    const { notes, owner } = this.#options;
    return {
      // Its session is its own, and not known before it runs.
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

  /** Ends the children of hosts that are gone; those of a host that lives, or that cannot be seen from here, are let alone. */
  async endLeft(): Promise<void> {
    const { notes, report } = this.#options;
    if (!notes) return;
    const left = (await notes.list()).filter(({ owner }) => isLost(owner) === true);
    await Promise.all(left.map((child) => this.#end(child, notes).catch(report)));
  }

  /** Resolves when what is known of the children is on disk. */
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
      // Not looked for again once it was found: what is oldest then is something that it has started.
      isGone = await endMarked({ ...marked, session: marked.session ?? look() }, { graceMs: GRACE_MS });
    }
    if (isGone) return notes.remove(mark);
    const what = `server ${child.server}, which a host that is gone had started, cannot be ended`;
    throw new TaskError('INTERNAL', `${what}${ref ? ` (pid ${ref.pid})` : ''}`);
  }

  #write(writing: Promise<void> = Promise.resolve()): void {
    // The mark is on disk and says enough; a note that stays is removed by whoever opens the ledger next.
    const done = writing.catch(() => {}).finally(() => this.#writes.delete(done));
    this.#writes.add(done);
  }
}

const UNNOTED: HostChild = { env: {}, starts: async () => {}, runs: () => {}, ends: () => {} };
